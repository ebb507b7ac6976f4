// The paper's optimized message path (ASPLOS'19, sections 3.2.2 to 3.2.4): requests and their
// metadata are gathered on both sides, and a leader warp manages each server's ring.
//
// Outbox (client block): paper/outbox.cuh. Local buffers per server, copied to the rings in turn.
// Inbox (server block): paper/inbox.cuh. A leader warp that assigns requests to follower warps.
//
// Participants: any threads of a client block, together or not, and all of a server block. At least
//   two warps per block: one to lead, one to follow.
// Ordering: what a client did before send() happens before the section of the request. From the
//   sending lane to the copying warp and from the leader to the follower it is handed on at block
//   scope, between these two at device scope (masked_rings.cuh).
// Progress: no ring size, buffer size or number of blocks deadlocks. Senders: paper/outbox.cuh. In
//   a ring, take the first reservation that is not written: all before it is, so the leader assigns
//   and the followers read it, and of that less than an eighth of a ring (the range of the open
//   reset counter) stays uncleared. The reservation is for half a ring at most, so it has space.
//   Requests in a local buffer that no warp comes round to are sent by finish(). Lanes of a client
//   warp must be able to run independently (Volta).
// Residency: all blocks at once.
// Fairness: a ring is served in order of reservation.
// Traffic: per copy of a local buffer one reservation, a fence, and an atomic per 32 requests;
//   the requests, coalesced; a poll of read_idx when the local copy of it is too old. Per 1,024
//   requests one poll of the bit-mask, per eighth of a ring one clearing and one addition.
// Reset: zero the memory.
#pragma once

#include "finesync/server/masked_rings.cuh"
#include "finesync/server/paper/inbox.cuh"
#include "finesync/server/paper/outbox.cuh"

#include <cstddef>
#include <stdexcept>
#include <string>

namespace finesync {
inline namespace FINESYNC_ABI {

template <class Argument, scope Scope = scope::device>
class paper_channel : public masked_rings<Argument, Scope> {
 public:
  static constexpr unsigned min_warps = 2;       ///< of a block
  static constexpr bool keeps_requests = false;  ///< that a handler leaves for later

  using masked_rings<Argument, Scope>::masked_rings;
  using outbox = paper_outbox<Argument, Scope>;
  using inbox = paper_inbox<Argument, Scope>;

  /// Global memory for all rings, in bytes.
  /// \throws std::invalid_argument for rings with more slots than an assignment can name.
  static std::size_t memory_bytes(const server_config& config) {
    constexpr unsigned most = 1u << detail::assignment::slot_bits;
    if (config.ring > most) {
      throw std::invalid_argument("ring " + std::to_string(config.ring) +
                                  ": the paper's path takes at most " + std::to_string(most));
    }
    return masked_rings<Argument, Scope>::memory_bytes(config);
  }
};

}  // namespace FINESYNC_ABI
}  // namespace finesync
