// What the mutex workload does at one point of a sweep.
#pragma once

namespace finesync::mutex {

/// Who competes for what (the thesis, chapter 4, after HeteroSync): thread 0 of every block of a
/// grid for one lock, again and again.
///
/// An experiment verifies that every block had its rounds, and that no count was lost. It measures
/// the time without the lock, and how evenly and after what waits the
/// lock was shared out in a run of fixed duration.
struct run_config {
  unsigned blocks_per_sm;
  unsigned threads_per_block;
  /// Words that each thread of the holder's block loads and stores inside; the same words for all
  /// blocks. 0: thread 0 alone counts in one word.
  unsigned ldst;
  unsigned rounds;          ///< acquisitions per block
  unsigned cluster_blocks;  ///< for locks that live in clusters alone
  bool backoff;             ///< false: waiters poll again at once
  bool empty_section;       ///< nothing inside: the hand-off alone
};

}  // namespace finesync::mutex
