// Configuration of the semaphore workload at one point of a sweep.
#pragma once

namespace finesync::semaphore {

/// All blocks of a grid compete for one semaphore that guards a table in memory (thesis, chapter 4,
/// after HeteroSync). The first block to arrive on each SM is a writer: it takes all permits and
/// writes the table. The others are readers: they take one permit and read it, or their share of
/// it.
///
/// An experiment verifies that every section ran, no write was lost and no reader saw a torn write.
/// Then it counts the permits in use, in another run: never more than exist. It
/// measures the time without the semaphore. In a run of fixed duration it measures waiting times
/// and the share of each block.
struct run_config {
  unsigned size;  ///< permits of the semaphore
  unsigned blocks_per_sm = 1;
  unsigned sms = 0;  ///< blocks_per_sm blocks for each of this many SMs; 0: all
  unsigned threads_per_block = 64;
  /// Words that each thread loads in the section; a writer's threads also store them. 0: only
  /// thread 0 enters and reads two words, and a writer writes both: the shortest section that shows
  /// torn reads and lost writes.
  unsigned ldst = 0;
  unsigned rounds;      ///< acquisitions per block
  bool writers = true;  ///< false: all blocks are readers
  /// HeteroSync's load: the table has a share for each block of an SM, `ldst` words of each thread,
  /// and all SMs share it. A reader reads its share; a writer writes them all, so its section grows
  /// with the blocks per SM. false: readers and writers use the same `ldst` words of each thread.
  bool writer_grows = false;
  bool backoff = true;  ///< false: waiters poll again at once
};

}  // namespace finesync::semaphore
