// What the semaphore workload does at one point of a sweep.
#pragma once

namespace finesync::semaphore {

/// Who competes for what (the thesis, chapter 4, after HeteroSync): all blocks of a grid for one
/// semaphore that guards a table in memory. On each SM the first block to come is a writer, which
/// takes all permits and writes the table; the others are readers, which take one and read it.
///
/// An experiment verifies that every section ran, no write was lost and no reader saw half of one.
/// The first time it also runs the kernel once more, counting those inside: never more than there
/// are permits. It measures the time without the semaphore, and how evenly and after what waits it
/// was shared out in a run of fixed duration.
struct run_config {
  unsigned size;  ///< permits of the semaphore
  unsigned blocks_per_sm;
  unsigned threads_per_block;
  /// Words that each thread loads, and a writer's stores, inside. With 0 thread 0 alone goes in and
  /// reads two words, and a writer writes both: the shortest section that shows torn reads and lost
  /// writes.
  unsigned ldst;
  unsigned rounds;  ///< acquisitions per block
  bool writers;     ///< false: all blocks are readers
  bool backoff;     ///< false: waiters poll again at once
};

}  // namespace finesync::semaphore
