// Configuration of the mutex workload at one point of a sweep.
#pragma once

#include <workloads/common/engine/engine_kind.hpp>

namespace finesync::mutex {

/// Thread 0 of every block of a grid competes for one lock repeatedly (thesis, chapter 4, after
/// HeteroSync).
///
/// An experiment verifies that every block had its rounds, and that no count was lost; after a run
/// with empty sections, of another with sections that count. It measures the time without the lock.
/// In a run of fixed duration it measures waiting times and the share of
/// each block.
struct run_config {
  unsigned blocks_per_sm = 1;
  unsigned threads_per_block = 64;
  /// Words that each thread of the holder's block loads and stores in the section; the same words
  /// for all blocks. 0: only thread 0 counts, in one word.
  unsigned ldst = 0;
  unsigned rounds;              ///< acquisitions per block
  unsigned cluster_blocks = 0;  ///< for locks with block storage; 0: at most 8, as many as fit
  bool backoff = true;          ///< false: waiters poll again at once
  bool empty_section = false;   ///< empty section: only the hand-off
  unsigned gpus = 1;            ///< for locks of several GPUs: those with a grid each
  /// For locks that stay on a GPU: how many sections there in a row; 0: the lock's default.
  unsigned sections_in_a_row = 0;
  workload::engine_kind engine = workload::engine_kind::peers;  ///< of these GPUs
};

}  // namespace finesync::mutex
