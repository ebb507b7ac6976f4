// SPDX-License-Identifier: Apache-2.0
// The fast message path: each message shows whether it has arrived, receivers need no leader, and
// space is freed in steps.
//
// Outbox (client block), fast/outbox.cuh. Threads write requests into one small buffer per server
// in shared memory. The thread that fills a half of a buffer reserves as many ring positions with
// one atomic. Its warp copies the half there, coalesced; no other thread waits.
// Inbox (server block), fast/inbox.cuh. Thread t of n owns the ring positions t, t + n, ..., so no
// thread claims positions. A warp polls how far the ring is reserved, reads its lanes' positions,
// and passes on the requests that have arrived; its lanes progress independently. Each time all
// warps have passed another eighth of the ring, one of them notifies the clients with one atomic.
//
// Use: server_pool<fast_channel<Argument>, Execution>
// Participants: any threads of a client block, converged or not, and all threads of a server block.
// Ordering: a request carries values. What a client wrote to memory before send() is *not* made
//   visible to the section by default. With `Order` message_order::release_acquire
//   (ordered_fast_channel) it is: a release fence precedes each copy of a half, and the server
//   fences with acquire wherever it finds requests. The basic and the paper path always do that.
// Progress: no ring size, buffer size or number of blocks deadlocks. A thread that waits for space
//   in one ring continues to serve all other buffers, and it waits only for requests placed
//   earlier. finish() sends the requests of a half that never fills.
// Residency: all blocks must be resident.
// Limits: fewer than 2^32 requests per server until the reset. A server numbers its keys in 31
//   bits, so with only one server keys are below 2^31.
// Fairness: a ring is served in order of reservation.
// Traffic: per half buffer one atomic and the requests, coalesced; per eighth of a ring one atomic.
// Reset: zero the memory.
#pragma once

#include "finesync/server/fast/direct_outbox.cuh"
#include "finesync/server/fast/inbox.cuh"
#include "finesync/server/fast/outbox.cuh"
#include "finesync/server/fast/rings.cuh"

namespace finesync::inline FINESYNC_ABI {

/// A channel whose sections see what the client wrote before it sent their request.
template <class Argument, scope Scope = scope::device>
using ordered_fast_channel =
    fast_channel<Argument, wire_slot, message_order::release_acquire, Scope>;

}  // namespace finesync::inline FINESYNC_ABI
