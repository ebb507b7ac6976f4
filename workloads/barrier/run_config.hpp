// Configuration of the barrier workload at one point of a sweep.
#pragma once

#include <finesync/barriers/measured_plans.cuh>
#include <workloads/common/engine/engine_kind.hpp>

namespace finesync::barrier {

/// Order of work and barrier in a round (finesync/barriers/overlap.cuh).
enum class barrier_form {
  blocking,     ///< work, then barrier
  split_phase,  ///< arrive, work, wait
  overlapped,   ///< the first warp in the barrier while the others work
};

/// Reduction over all arrivals (finesync/barriers/reduction.cuh).
enum class reduction_kind { nothing, sum, minimum, any };

/// Places and order of the loads and stores between two barriers.
enum class load_order {
  lines,  ///< HeteroSync's (common/half_warp_lines.cuh)
  late,   ///< neighbouring lanes have neighbouring words, each stored after it has arrived
  early,  ///< the same, each stored while its load is in flight
};

/// All blocks of a grid, or of a grid on each of several GPUs, pass a barrier repeatedly, with some
/// work before each (the barrier benchmarks of the thesis, chapter 4).
///
/// An experiment verifies the data that blocks pass to each other, and runs the litmus test after
/// each run. It measures the time of the work without barriers.
struct run_config {
  unsigned threads_per_block = 64;
  unsigned blocks_per_sm = 1;
  unsigned sms = 0;               ///< blocks_per_sm blocks for each of this many SMs; 0: all
  unsigned rounds = 1000;         ///< barriers passed by each block
  unsigned words_per_thread = 0;  ///< loaded, checked and stored by each thread in each round
  load_order order = load_order::lines;
  /// The blocks of each SM also exchange data between two grid barriers.
  bool local_exchange = false;
  /// Size of the litmus test, see litmus.cuh.
  struct {
    unsigned rounds = 100;
    unsigned stores = 256;  ///< of each thread before a barrier, at most
  } litmus = {};
  bool backoff = true;  ///< back-off between polls, for barriers that have one
  /// Blocks per cluster, for barriers that use clusters; 0: the most that the machine supports.
  unsigned cluster_blocks = 0;
  /// For counter barriers; 0: the barrier's choice.
  struct {
    unsigned number = 0;
    unsigned replicas = 0;
    unsigned first_poll = 0;  ///< cycles from arrival to the first poll
  } counters = {};
  plan_table plans = {};  ///< for the autotuned barrier; none: the barrier's choice
  barrier_form form = barrier_form::blocking;
  reduction_kind reduction = reduction_kind::nothing;
  bool execution_only = false;  ///< the barrier orders no memory
  unsigned work_cycles = 0;     ///< work of each working thread per round
  unsigned gpus = 1;            ///< for barriers of several GPUs: grids, one on each
  workload::engine_kind engine = workload::engine_kind::peers;  ///< of these GPUs

  /// Whether the experiment uses the rounds of overlapped.cuh.
  bool overlapped() const {
    return form != barrier_form::blocking || reduction != reduction_kind::nothing ||
           execution_only || work_cycles != 0;
  }
};

}  // namespace finesync::barrier
