// The mutex workload as the program sees it: plain C++, one implementation per primitive, each
// compiled in a file of its own.
#pragma once

#include <workloads/contest/trial.hpp>

#include <memory>

namespace finesync::mutex {

using contest::outcome;
using contest::trial;

/// Who competes for what (the thesis, chapter 4, after HeteroSync): thread 0 of every block of a
/// grid for one lock, again and again.
struct setup {
  unsigned blocks_per_sm;
  unsigned threads_per_block;
  /// Words that each thread of the holder's block loads and stores inside; the same words for all
  /// blocks. 0: thread 0 alone counts in one word.
  unsigned ldst;
  unsigned rounds;          ///< acquisitions per block
  unsigned cluster_blocks;  ///< for locks that live in clusters alone
  bool backoff;             ///< false: waiters look again at once
  bool empty_section;       ///< nothing inside: the hand-off alone
};

/// Makes the trial of a primitive. Its check() sees that every block had its rounds, and that no
/// count was lost. watch() tells how many blocks competed, the time without the lock, and how
/// evenly and after what waits it was shared out in a run of fixed duration.
///
/// \throws launch_error when the grid cannot be co-resident, another std::invalid_argument where
/// the primitive cannot do what the setup says.
using make_trial = std::unique_ptr<trial>(const setup& how);

make_trial make_spin, make_spin_ordered, make_ebo, make_ttas, make_ticket, make_ring, make_array,
    make_mcs, make_cohort, make_carrying, make_libcudacxx;

}  // namespace finesync::mutex
