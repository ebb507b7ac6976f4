// The fast message path: requests tell by themselves whether they have arrived, receivers need no
// leader, and space is given back in steps.
//
// Outbox (client block), fast/outbox.cuh. Threads drop requests into one small buffer per server in
//   shared memory. Whoever fills a half of a buffer reserves as many ring positions with one atomic
//   and its warp copies the half there, coalesced. Nobody else waits.
// Inbox (server block), fast/inbox.cuh. Thread t of n owns the ring positions t, t + n, ..., so
//   nothing is claimed. A warp asks how far the ring is reserved, reads its lanes' positions, and
//   hands on whatever has arrived; its lanes need not be equally far. Each time all warps have
//   passed another eighth of the ring, one of them tells the clients by one atomic.
//
// Participants: any threads of a client block, together or not, and all of a server block.
// Ordering: a request carries values. What a client wrote to memory before send() is *not* made
//   visible to the section, unless `Order` says so: message_order::release_acquire has a release
//   fence before each copy of a half, and an acquire fence at the server wherever requests are
//   found (ordered_fast_channel). The basic and the paper path do it anyway.
// Progress: no ring size, buffer size or number of blocks deadlocks: a thread that waits for space
//   in one ring goes on serving all other buffers, and it waits only for requests that were placed
//   before. Requests of a half that never fills are sent by finish().
// Residency: all blocks at once.
// Limits: fewer than 2^32 requests per server until the reset; a
//   server numbers its keys in 31 bits, so with one server alone keys are below 2^31.
// Fairness: a ring is served in order of reservation.
// Traffic: per half buffer one atomic and the requests, coalesced; per ring eighth one atomic.
// Reset: zero the memory.
#pragma once

#include "finesync/server/fast/direct_outbox.cuh"
#include "finesync/server/fast/inbox.cuh"
#include "finesync/server/fast/outbox.cuh"
#include "finesync/server/fast/rings.cuh"

namespace finesync {
inline namespace FINESYNC_ABI {

/// Whose sections see what the client wrote before it sent their request.
template <class Argument, scope Scope = scope::device>
using ordered_fast_channel =
    fast_channel<Argument, wire_slot, message_order::release_acquire, Scope>;

}  // namespace FINESYNC_ABI
}  // namespace finesync
