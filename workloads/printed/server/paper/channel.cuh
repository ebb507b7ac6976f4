// SPDX-License-Identifier: Apache-2.0
// The paper's optimized message path (ASPLOS'19, sections 3.2.2 to 3.2.4): both sides gather
// requests and their metadata, and a leader warp manages each server's ring.
//
// Outbox (client block): paper/outbox.cuh. Local buffers per server, copied to the rings round
//   robin.
// Inbox (server block): paper/inbox.cuh. A leader warp that assigns requests to follower warps.
//
// Use: server_pool<paper_channel<Argument>, Execution>
// Participants: any threads of a client block, converged or not, and all threads of a server block.
//   A block has at least two warps: a leader and a follower.
// Ordering: what a client did before send() happens before the section of the request. From the
//   sending lane to the copying warp, and from the leader to the follower, the hand-off has block
//   scope; between these two it has device scope (masked_rings.cuh).
// Progress: no ring size, buffer size or number of blocks deadlocks. Senders: paper/outbox.cuh. In
//   a ring, take the first reservation that is not written. All earlier ones are written, so the
//   leader assigns and the followers read them. Of those, less than an eighth of a ring (the range
//   of the open reset counter) stays uncleared. The reservation is for at most half a ring, so it
//   has space. finish() sends requests that no warp has copied from a local buffer. Lanes of a
//   client warp must be able to run independently (Volta).
// Residency: all blocks must be resident.
// Fairness: a ring is served in order of reservation.
// Traffic: per copy of a local buffer one reservation, a fence, an atomic per 32 requests, and the
//   requests, coalesced. A client polls read_idx when its local copy is too old. A server polls the
//   bit-mask once per 1,024 requests; per eighth of a ring it clears bits once and adds once.
// Reset: zero the memory.
#pragma once

#include <finesync/server/masked_rings.cuh>
#include <workloads/printed/server/paper/inbox.cuh>
#include <workloads/printed/server/paper/outbox.cuh>

#include <cstddef>
#include <stdexcept>
#include <string>

namespace finesync::inline FINESYNC_ABI {

template <class Argument, scope Scope = scope::device>
class paper_channel : public masked_rings<Argument, Scope> {
 public:
  static constexpr unsigned min_warps = 2;       ///< minimum per block
  static constexpr bool keeps_requests = false;  ///< if a handler leaves them for later

  using masked_rings<Argument, Scope>::masked_rings;
  using outbox = paper_outbox<Argument, Scope>;
  using inbox = paper_inbox<Argument, Scope>;

  /// Global memory for all rings, in bytes.
  /// \throws std::invalid_argument if a ring has more slots than an assignment can encode.
  static std::size_t memory_bytes(const server_config& config) {
    constexpr unsigned most = 1u << detail::assignment::slot_bits;
    if (config.ring > most) {
      throw std::invalid_argument("ring " + std::to_string(config.ring) +
                                  ": the paper's path takes at most " + std::to_string(most));
    }
    return masked_rings<Argument, Scope>::memory_bytes(config);
  }
};

}  // namespace finesync::inline FINESYNC_ABI
