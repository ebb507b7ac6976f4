// SPDX-License-Identifier: Apache-2.0
// A wait by a whole warp.
#pragma once

#include "finesync/device/watchdog.cuh"

namespace finesync::inline FINESYNC_ABI {

namespace detail {

/// One check of a wait: out of line, because posts are long and rare. Where a wait has them inline,
/// the assembler takes the warp's lanes for divided, and makes a second copy of the loop around it.
/// \param began 0 at the first check. \returns the same for the next one; 0 if the watchdog ended
///   the wait
template <class Watchdog>
__device__ FINESYNC_OUT_OF_LINE std::uint32_t check_wait(Watchdog watchdog, awaited what,
                                                         std::uint32_t began) {
  bounded_wait wait(watchdog, what, watchdog.which, began);
  return wait.check() ? 0 : wait.began();
}

}  // namespace detail

/// Polls until `poll` is true in all lanes. All lanes of the warp call it. They continue together,
/// and the compiler knows it. Each lane acquires only what its own poll acquires.
/// \returns false, in all lanes, if the watchdog ended the wait.
template <class Poll>
__device__ __forceinline__ bool await_by_warp(const watchdog_ref& watchdog, awaited what,
                                              Poll poll) {
  constexpr unsigned all_lanes = 0xffffffffu;
  std::uint32_t began = 0;
  unsigned polls = bounded_wait::first_polls;
  // A vote at each poll: with a branch on the count alone, nw's strips take 1 % longer (an H200).
  while (!__all_sync(all_lanes, poll()))
    if (__any_sync(all_lanes, ++polls % bounded_wait::polls_per_check == 0 &&
                                  (began = detail::check_wait(watchdog, what, began)) == 0))
      return false;
  return true;
}

}  // namespace finesync::inline FINESYNC_ABI
