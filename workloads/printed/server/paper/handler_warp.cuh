// SPDX-License-Identifier: Apache-2.0
// A warp that handles the messages of a ring itself, for messages that only set a flag (ASPLOS'19,
// section 3.3: reply handler warp, unlock handler warp). It treats the metadata like a leader, but
// assigns nothing.
//
// Participants: one warp per ring.
// Ordering: what a sender did before its message happens before act(). If act() hands something on,
//   it releases.
// Progress: act() must not wait. Then the ring's senders never wait for anything but this warp.
// Traffic: per poll one access; per poll that finds messages, one access for each 32 of them, one
//   to the bit-mask and one to read_idx.
#pragma once

#include <finesync/device/warp.cuh>
#include <finesync/device/watchdog.cuh>
#include <finesync/server/masked_rings.cuh>
#include <workloads/printed/server/paper/ring_metadata.cuh>

#include <cstdint>

namespace finesync::inline FINESYNC_ABI {

/// Calls act(message) in one lane for each message of a ring, until all its senders have finished.
/// Called by all lanes of a warp. \returns false when the watchdog ended a wait.
template <class Argument, scope Scope, class Act>
__device__ bool handle_messages(const masked_rings<Argument, Scope>& from, unsigned server,
                                const watchdog_ref& watchdog, Act act) {
  detail::ring_metadata<Argument, Scope> metadata(from, server);
  for (;;) {
    bounded_wait wait(watchdog, awaited::requests);
    while (!metadata.poll()) {
      if (metadata.is_over()) return true;
      if (__any_sync(0xffffffffu, wait.timed_out())) return false;
    }
    const std::uint32_t messages = metadata.found();
    for (std::uint32_t i = lane_id(); i < messages; i += 32)
      act(from.load(server, metadata.head() + i));
    metadata.take(messages);
    metadata.free(messages);
  }
}

}  // namespace finesync::inline FINESYNC_ABI
