// SPDX-License-Identifier: Apache-2.0
// The two sides of a section over data of two servers. Offload handlers run it; request handlers
// acquire the other lock for them. Both are handlers of an inbox (server/channel.cuh). Each lane
// keeps its own state and never waits: each call makes one step of each lane. The protocol and its
// contract: lending/nested_server_pool.cuh.
#pragma once

#include "finesync/device/numbering.cuh"
#include "finesync/device/watchdog.cuh"
#include "finesync/locks/observer.cuh"
#include "finesync/server/fast/channel.cuh"
#include "finesync/server/lending/offload.cuh"
#include "finesync/server/lending/owned_locks.cuh"
#include "finesync/server/lending/protocol.cuh"
#include "finesync/server/lending/stepping_handler.cuh"

#include <cstdint>

namespace finesync::inline FINESYNC_ABI {
namespace detail {

/// Acquires both locks of a section and runs it.
/// \tparam Observer a lock_observer for each of the two locks.
template <class Protocol, class Service, class Observer>
class offload_handler : public stepping_handler {
 public:
  using argument = offload<typename Service::argument>;
  using requests = typename fast_channel<typename Protocol::lock_request>::direct_outbox;
  using locks = owned_locks<Protocol, Service>;
  using replies = typename Protocol::lock_reply_slots::ref_type;
  using unlocks = typename Protocol::unlock_slots::ref_type;

  __device__ offload_handler(const locks& own, requests& to_others,
                             const typename replies::reply_slot& slot,
                             const unlocks& unlocks_to_others, Service& service,
                             const watchdog_ref& watchdog, const Observer& observer)
      : stepping_handler(watchdog, awaited::reply),
        own_(own),
        requests_(to_others),
        slot_(slot),
        unlocks_(unlocks_to_others),
        service_(service),
        observer_(observer),
        observer_of_other_(observer) {}

  __device__ bool operator()(bool& here, std::uint32_t local, const argument& what) {
    const stage before = stage_;
    if (stage_ == stage::asked && slot_.poll()) {
      stage_ = stage::lent;
      observer_.begin(own_.key_of(local_));
    }
    if (stage_ == stage::lent) try_with_lent();
    here = here && stage_ == stage::idle;
    if (here) begin(local, what);
    if (stage_ == stage::placed && requests_.try_put(request_)) stage_ = stage::asked;
    if (stage_ == stage::both_here) try_with_own();
    return end_step(stage_ != stage::idle, here || stage_ != before);
  }
  /// After the last call.
  __device__ void finish() {
    observer_.finish();
    observer_of_other_.finish();
  }

 private:
  /// The lock with the higher global id is acquired first: that of the other server.
  enum class stage {
    idle,
    placed,     ///< a request message has a slot, which may not be free yet
    asked,      ///< the request is sent
    lent,       ///< the reply has arrived; the thread's own lock is not yet acquired
    both_here,  ///< both locks belong to this server
  };

  __device__ void begin(std::uint32_t local, const argument& what) {
    local_ = local;
    what_ = what;
    const std::uint32_t other = what.other_key();
    const destination to = own_.destination_of(other);
    other_local_ = to.local;
    if (to.server == block_rank()) {
      stage_ = stage::both_here;
      observer_.begin(own_.key_of(local_));
      observer_of_other_.begin(other);
    } else {
      request_ = requests_.place(to, slot_.expect());
      stage_ = stage::placed;
    }
  }

  __device__ void try_with_lent() {
    if (!try_take<Protocol>(own_.lock_of(local_), observer_)) return;
    const typename Protocol::reply lent = slot_.reply();
    typename Protocol::unlock back;
    if constexpr (Protocol::passes_data) {
      typename Protocol::datum theirs = lent.value;
      run_section(service_, what_, own_.datum_of(local_), theirs);
      back.value = theirs;
    } else {
      run_section(service_, what_, own_.datum_of(local_), service_.home(what_.other_key()));
    }
    observer_.leaving();
    Protocol::leave(own_.lock_of(local_));
    unlocks_.reply(Protocol::unlock_address(lent), back);
    stage_ = stage::idle;
  }

  /// No lock is held while waiting, so any order will do.
  __device__ void try_with_own() {
    const auto higher = own_.lock_of(other_local_);
    if (!try_take<Protocol>(higher, observer_of_other_)) return;
    const auto lower = own_.lock_of(local_);
    if (try_take<Protocol>(lower, observer_)) {
      run_section(service_, what_, own_.datum_of(local_), own_.datum_of(other_local_));
      observer_.leaving();
      Protocol::leave(lower);
      observer_of_other_.leaving();
      stage_ = stage::idle;
    } else {
      observer_of_other_.retry();
    }
    Protocol::leave(higher);
  }

  const locks& own_;
  requests& requests_;
  typename replies::reply_slot slot_;
  unlocks unlocks_;
  Service& service_;
  [[no_unique_address]] Observer observer_;
  [[no_unique_address]] Observer observer_of_other_;
  stage stage_ = stage::idle;
  std::uint32_t local_ = 0;
  std::uint32_t other_local_ = 0;
  argument what_;
  typename requests::placed request_;
};

template <class Protocol, class Service, class Observer>
class lock_request_handler : public stepping_handler {
 public:
  using argument = typename Protocol::lock_request;
  using locks = owned_locks<Protocol, Service>;
  using replies = typename Protocol::lock_reply_slots::ref_type;
  using unlocks = typename Protocol::unlock_slots::ref_type;

  __device__ lock_request_handler(const locks& own, const replies& replies_to_others,
                                  const typename unlocks::reply_slot& slot,
                                  const watchdog_ref& watchdog, const Observer& observer)
      : stepping_handler(watchdog, awaited::lock),
        own_(own),
        replies_(replies_to_others),
        slot_(slot),
        observer_(observer) {}

  __device__ bool operator()(bool& here, std::uint32_t local, const argument& back) {
    const stage before = stage_;
    if (stage_ == stage::lent && slot_.poll()) take_back();
    here = here && stage_ == stage::idle;
    if (here) {
      local_ = local;
      back_ = back;
      stage_ = stage::wanted;
      observer_.begin(own_.key_of(local));
    }
    if (stage_ == stage::wanted && try_take<Protocol>(own_.lock_of(local_), observer_)) lend();
    return end_step(stage_ != stage::idle, here || stage_ != before);
  }
  /// After the last call.
  __device__ void finish() { observer_.finish(); }

 private:
  enum class stage {
    idle,
    wanted,  ///< the request has arrived; the lock is held elsewhere
    lent,    ///< the reply is sent; the unlock message has not arrived
  };

  __device__ void lend() {
    typename Protocol::reply reply;
    reply.unlock = slot_.expect();
    if constexpr (Protocol::passes_data) reply.value = own_.datum_of(local_);
    replies_.reply(back_, reply);
    Protocol::lend(own_.lock_of(local_));
    stage_ = stage::lent;
  }
  __device__ void take_back() {
    if constexpr (Protocol::passes_data) own_.datum_of(local_) = slot_.reply().value;
    observer_.leaving();
    Protocol::take_back(own_.lock_of(local_));
    stage_ = stage::idle;
  }

  const locks& own_;
  replies replies_;
  typename unlocks::reply_slot slot_;
  [[no_unique_address]] Observer observer_;
  stage stage_ = stage::idle;
  std::uint32_t local_ = 0;
  argument back_;
};

}  // namespace detail
}  // namespace finesync::inline FINESYNC_ABI
