// The semaphore workload as the program sees it: plain C++, one implementation per primitive, each
// compiled in a file of its own.
#pragma once

#include <workloads/contest/trial.hpp>

#include <memory>

namespace finesync::semaphore {

using contest::outcome;
using contest::trial;

/// Who competes for what (the thesis, chapter 4, after HeteroSync): all blocks of a grid for one
/// semaphore that guards a table in memory. On each SM the first block to come is a writer, which
/// takes all permits and writes the table; the others are readers, which take one and read it.
struct setup {
  unsigned size;  ///< permits of the semaphore
  unsigned blocks_per_sm;
  unsigned threads_per_block;
  /// Words that each thread loads, and a writer's stores, inside. With 0 thread 0 alone goes in and
  /// reads two words, and a writer writes both: the shortest section that shows torn reads and lost
  /// writes.
  unsigned ldst;
  unsigned rounds;  ///< acquisitions per block
  bool writers;     ///< false: all blocks are readers
  bool backoff;     ///< false: waiters look again at once
};

/// Makes the trial of a primitive. Its check() sees that every section ran, no write was lost and
/// no reader saw half of one. The first time it also runs the kernel once more, counting those
/// inside: never more than there are permits. watch() tells the time without the semaphore, and how
/// evenly and after what waits it was shared out in a run of fixed duration.
///
/// \throws launch_error when the grid cannot be co-resident, another std::invalid_argument where
/// the primitive cannot do what the setup says.
using make_trial = std::unique_ptr<trial>(const setup& how);

make_trial make_spin, make_priority, make_word, make_ticketed, make_libcudacxx;

}  // namespace finesync::semaphore
