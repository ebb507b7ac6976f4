// The barrier workload as the program sees it: plain C++, one implementation per primitive, each
// compiled in a file of its own.
#pragma once

#include <workloads/contest/trial.hpp>

#include <memory>

namespace finesync::rendezvous {

using contest::outcome;
using contest::trial;

/// All blocks of a grid pass a barrier again and again, with some work before each (the barrier
/// benchmarks of the thesis, chapter 4).
struct setup {
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
  bool backoff = true;  ///< for barriers that may have one between looks
  /// Blocks per cluster, for barriers built of clusters; 0: the most that the machine takes.
  unsigned cluster_blocks = 0;
  /// For barriers made of counters; 0: the barrier's own choice.
  struct {
    unsigned lines = 0;
    unsigned replicas = 0;
    unsigned first_poll = 0;  ///< cycles from arrival to the first look
  } counters = {};
};

/// Makes the trial of a primitive. Its check() judges the data; the first time it also runs the
/// litmus test. watch() tells the number of blocks and how long the work alone takes.
///
/// \throws launch_error when the grid cannot be co-resident, std::invalid_argument for what the
/// primitive or the machine cannot do, std::bad_alloc when device memory is used up.
using make_trial = std::unique_ptr<trial>(const setup& how);

make_trial make_atomic_tree, make_sense_reversing, make_lock_free_tree, make_cooperative,
    make_cluster, make_libcudacxx, make_graph_relaunch, make_one_hop, make_gather_scatter,
    make_sm_groups, make_adaptive;

}  // namespace finesync::rendezvous
