// Every lock of the library, as type lists for typed tests.
#pragma once

#include <finesync/locks/array_lock.cuh>
#include <finesync/locks/carrying_lock.cuh>
#include <finesync/locks/cohort_lock.cuh>
#include <finesync/locks/combining_lock.cuh>
#include <finesync/locks/mcs_lock.cuh>
#include <finesync/locks/ring_lock.cuh>
#include <finesync/locks/spin_lock.cuh>
#include <finesync/locks/spin_ordered_lock.cuh>
#include <finesync/locks/ticket_lock.cuh>
#include <finesync/locks/ttas_lock.cuh>

#include <tests/tested_types.hpp>

#include <cstdint>

namespace finesync::test {

/// A word beyond 32 bits, all of whose parts follow from the first.
struct wide_word {
  std::uint32_t count;
  std::uint32_t parts[2];
};

// Small enough for schedules to reach every corner: few slots, short batches.
inline constexpr unsigned most_threads = 64;  // of a block
inline constexpr unsigned small_batch = 3;
using small_cohort = cohort_lock<no_backoff, 4, small_batch, most_threads>;

/// Of both lists, as far as they go.
struct lock_names : names_of_tested<lock_names> {
  static constexpr const char* all[] = {"spin",   "ordered_spin", "backoff",      "ticket",
                                        "ring",   "combining",    "array",        "mcs",
                                        "cohort", "carrying",     "carrying_wide"};
};

/// Without back-off, so that schedules are not thinned out by sleep; tests of waiting add it.
using device_locks = tested_types<
    lock_names, spin_lock<scope::device>, spin_ordered_lock<scope::device>,
    ttas_lock<scope::device, no_backoff>, ticket_lock<scope::device, no_backoff>,
    ring_lock<scope::device, no_backoff, 4>, combining_lock<spin_ordered_lock<scope::device>>,
    array_lock<scope::device, no_backoff, 4>, mcs_lock, small_cohort,
    carrying_lock<std::uint32_t, no_backoff, 4>, carrying_lock<wide_word, no_backoff, 4>>;

using block_locks =
    tested_types<lock_names, spin_lock<scope::block>, spin_ordered_lock<scope::block>,
                 ttas_lock<scope::block, no_backoff>, ticket_lock<scope::block, no_backoff>,
                 ring_lock<scope::block, no_backoff, 4>,
                 combining_lock<spin_ordered_lock<scope::block>>,
                 array_lock<scope::block, no_backoff, 4>>;

}  // namespace finesync::test
