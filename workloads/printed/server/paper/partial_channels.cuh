// SPDX-License-Identifier: Apache-2.0
// Message paths between the basic and the paper's, to measure what each step of ASPLOS'19, section
// 3.2, brings. Both paths have the same rings (masked_rings.cuh), so that either sender works with
// either receiver:
//
//|                    sender                                    receiver
//|  basic_channel     every thread alone                        every thread alone
//|  buffered_channel  local buffers (3.2.4)                     every thread alone
//|  led_channel       every thread alone                        leader warp (3.2.3)
//|  polling_channel   local buffers, read_idx at every copy     leader warp
//|  paper_channel     local buffers, a lazy copy of read_idx    leader warp
//|  checking_channel  as the paper's                            leader warp that asks after every
//|                                                              step whether clients have finished
//
// Participants, ordering, traffic: those of the sides.
// Progress: no ring size, buffer size or number of blocks deadlocks. Take the first reservation
//   that is not written. A sender alone waits until all before it are read, which a leader does but
//   for less than an eighth of a ring. A local buffer reserves at most half a ring, and a receiver
//   without leader frees all that was read.
// Residency: all blocks must be resident.
// Fairness: a ring is served in order of reservation.
// Reset: zero the memory.
#pragma once

#include <workloads/printed/server/basic/channel.cuh>
#include <workloads/printed/server/paper/channel.cuh>
#include <workloads/printed/server/paper/inbox.cuh>
#include <workloads/printed/server/paper/outbox.cuh>

namespace finesync::inline FINESYNC_ABI {

template <class Argument, scope Scope = scope::device>
class buffered_channel : public basic_channel<Argument, Scope> {
 public:
  using basic_channel<Argument, Scope>::basic_channel;
  using outbox = paper_outbox<Argument, Scope>;
};

template <class Argument, scope Scope = scope::device>
class led_channel : public paper_channel<Argument, Scope> {
 public:
  using paper_channel<Argument, Scope>::paper_channel;
  using outbox = typename basic_channel<Argument, Scope>::outbox;
};

template <class Argument, scope Scope = scope::device>
class polling_channel : public paper_channel<Argument, Scope> {
 public:
  using paper_channel<Argument, Scope>::paper_channel;
  using outbox = paper_outbox<Argument, Scope, read_idx_refresh::always>;
};

template <class Argument, scope Scope = scope::device>
class checking_channel : public paper_channel<Argument, Scope> {
 public:
  using paper_channel<Argument, Scope>::paper_channel;
  using inbox = paper_inbox<Argument, Scope, termination_check::always>;
};

}  // namespace finesync::inline FINESYNC_ABI
