// What the barrier workload does at one point of a sweep.
#pragma once

namespace finesync::barrier {

/// How a round passes its barrier (finesync/barriers/overlap.cuh).
enum class barrier_form {
  blocking,     ///< work, then barrier
  split_phase,  ///< arrive, work, wait
  overlapped,   ///< the first warp in the barrier while the others work
};

/// What arrivals contribute to (finesync/barriers/reduction.cuh).
enum class carried { nothing, sum, minimum, any };

/// All blocks of a grid pass a barrier again and again, with some work before each (the barrier
/// benchmarks of the thesis, chapter 4).
///
/// An experiment verifies the data that blocks hand on to each other; the first time it also runs
/// the litmus test. It measures how long the work alone takes.
struct run_config {
  unsigned threads_per_block = 64;
  unsigned blocks_per_sm = 1;
  unsigned rounds = 1000;         ///< barriers passed by each block
  unsigned words_per_thread = 0;  ///< that a thread loads, checks and stores in each round
  /// The blocks of each SM exchange data once more between two grid barriers.
  bool local_exchange = false;
  /// How hard the litmus test of litmus.cuh tries.
  struct {
    unsigned rounds = 100;
    unsigned stores = 64;
  } litmus = {};
  bool backoff = true;  ///< for barriers that may have one between polls
  /// Blocks per cluster, for barriers built of clusters; 0: the most that the machine takes.
  unsigned cluster_blocks = 0;
  /// For barriers made of counters; 0: the barrier's own choice.
  struct {
    unsigned lines = 0;
    unsigned replicas = 0;
    unsigned first_poll = 0;  ///< cycles from arrival to the first poll
  } counters = {};
  barrier_form form = barrier_form::blocking;
  carried reduction = carried::nothing;
  bool execution_only = false;  ///< the barrier orders no memory
  unsigned work_cycles = 0;     ///< that each thread that works does so in each round

  /// Whether the rounds are those of overlapped.cuh.
  bool overlapped() const {
    return form != barrier_form::blocking || reduction != carried::nothing || execution_only ||
           work_cycles != 0;
  }
};

}  // namespace finesync::barrier
