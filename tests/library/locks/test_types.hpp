// The types of locks that tests explore, small enough for schedules to reach every corner case.
#pragma once

#include <finesync/device/backoff.cuh>
#include <finesync/locks/cohort_lock.cuh>

#include <cstdint>

namespace finesync::test {

/// A word of more than 32 bits; all its parts follow from the first.
struct wide_word {
  std::uint32_t count;
  std::uint32_t parts[2];
};

// Few slots, short batches.
inline constexpr unsigned max_threads = 64;  // of a block
inline constexpr unsigned small_batch = 3;
using small_cohort = cohort_lock<scope::device, no_backoff, 4, small_batch, max_threads>;

}  // namespace finesync::test
