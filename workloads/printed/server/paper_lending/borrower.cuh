// SPDX-License-Identifier: Apache-2.0
// The side of a section over two data that runs it: it acquires the remote lock by messages and the
// local one itself. Protocol and contract: paper_lending/paper_nested_server_pool.cuh.
#pragma once

#include <finesync/device/atomic_ref.cuh>
#include <finesync/device/numbering.cuh>
#include <finesync/device/warp.cuh>
#include <finesync/device/watchdog.cuh>
#include <finesync/locks/observer.cuh>
#include <finesync/server/lending/offload.cuh>
#include <finesync/server/lending/stepping_handler.cuh>
#include <finesync/server/masked_rings.cuh>
#include <workloads/printed/server/paper_lending/protocol.cuh>

#include <cstdint>

namespace finesync::inline FINESYNC_ABI {
namespace detail {

/// The reply bits of a server block, one per lane of its followers.
class reply_bits {
 public:
  /// \param words a word per warp of the block, zero at first.
  __device__ explicit reply_bits(cell<std::uint32_t>* words) : words_(words) {}

  /// The reply handler's side: the lane with this slot has its lock. Releases to it.
  __device__ void set(unsigned slot) const {
    word_of(slot).fetch_or(mask_bit(slot), memory_order::release);
  }
  /// The lane's side. If the bit is set, acquires and clears it.
  __device__ bool take(unsigned slot) const {
    if ((word_of(slot).load(memory_order::acquire) & mask_bit(slot)) == 0) return false;
    word_of(slot).fetch_and(~mask_bit(slot), memory_order::relaxed);
    return true;
  }

 private:
  __device__ atomic_ref<std::uint32_t, scope::block> word_of(unsigned slot) const {
    return atomic_ref<std::uint32_t, scope::block>(words_[slot / 32]);
  }

  cell<std::uint32_t>* words_;
};

/// A lane's section in work.
/// \tparam Observer a lock_observer for each of the two locks.
template <class Protocol, class Service, class Observer>
class borrower : public stepping_handler {
 public:
  using argument = offload<typename Service::argument>;
  using locks = aliased_locks<typename Protocol::lock>;
  using requests = typename Protocol::request_outbox;
  using unlocks = masked_rings<no_argument>;

  __device__ borrower(const locks& own, requests& to_others, const reply_bits& replies,
                      const unlocks& unlocks_to_others, Service& service,
                      const watchdog_ref& watchdog, const Observer& observer)
      : stepping_handler(watchdog, awaited::reply),
        own_(own),
        requests_(to_others),
        replies_(replies),
        unlocks_(unlocks_to_others),
        service_(service),
        watchdog_(watchdog),
        observer_(observer),
        observer_of_first_(observer) {}

  __device__ bool is_idle() const { return stage_ == stage::idle; }

  /// One step of each lane; called by all lanes of the warp. \param here a section arrives, for the
  /// server's key `local`, in a lane that is idle. \returns false when the watchdog ended a wait.
  __device__ bool step(bool here, std::uint32_t local, const argument& what) {
    const stage before = stage_;
    bool in_time = true;
    if (stage_ == stage::asked && replies_.take(thread_rank())) stage_ = stage::last;
    if (here) begin(local, what);
    if (stage_ == stage::placed && requests_.try_put(request_)) stage_ = stage::asked;
    if (stage_ == stage::first && try_take<Protocol>(own_[first_], observer_of_first_))
      stage_ = stage::last;
    if (stage_ == stage::last && try_take<Protocol>(own_[last_], observer_)) in_time = run();
    in_time = __all_sync(0xffffffffu, in_time) != 0;
    return end_step(stage_ != stage::idle, here || stage_ != before) && in_time;
  }
  /// After the last call.
  __device__ void finish() {
    observer_.finish();
    observer_of_first_.finish();
  }

 private:
  /// The lock with the higher global id is the first: that of the other server, if there are two.
  enum class stage {
    idle,
    placed,  ///< the request for the first lock has an entry in a local buffer, maybe not free yet
    asked,   ///< the request is in the buffer or on its way
    first,   ///< the first lock is wanted, and of this server
    last,    ///< the first is acquired, or both are one; the last is wanted, and of this server
  };

  __device__ bool is_remote() const { return other_.server != block_rank(); }

  __device__ void begin(std::uint32_t local, const argument& what) {
    local_ = local;
    what_ = what;
    other_ = own_.destination_of(what.other_key());
    last_ = own_.number_of(local);
    first_ = own_.number_of(other_.local);
    if (is_remote()) {
      request_ = requests_.place({other_.server, first_},
                                 lent_lock_request::of(block_rank(), thread_rank()));
      stage_ = stage::placed;
    } else {
      if (first_ < last_) {
        const std::uint32_t higher = last_;
        last_ = first_;
        first_ = higher;
      }
      stage_ = first_ == last_ ? stage::last : stage::first;
      observer_of_first_.begin(own_.key_of(first_));
    }
    observer_.begin(own_.key_of(last_));
  }

  /// With both locks held. \returns false when the watchdog ended a wait for space.
  __device__ bool run() {
    run_section(service_, what_, service_.home(own_.key_of(local_)),
                service_.home(what_.other_key()));
    stage_ = stage::idle;
    observer_.leaving();
    Protocol::leave(own_[last_]);
    if (is_remote()) {
      return send_alone(unlocks_, other_.server, unlocks::request::of(first_, {}), watchdog_);
    }
    if (first_ != last_) {
      observer_of_first_.leaving();
      Protocol::leave(own_[first_]);
    }
    return true;
  }

  const locks& own_;
  requests& requests_;
  const reply_bits& replies_;
  const unlocks& unlocks_;
  Service& service_;
  const watchdog_ref& watchdog_;
  [[no_unique_address]] Observer observer_;
  [[no_unique_address]] Observer observer_of_first_;
  stage stage_ = stage::idle;
  std::uint32_t local_ = 0;
  destination other_ = {};
  std::uint32_t first_ = 0;  ///< number of the first lock, on its server
  std::uint32_t last_ = 0;
  argument what_;
  typename requests::placed request_;
};

}  // namespace detail
}  // namespace finesync::inline FINESYNC_ABI
