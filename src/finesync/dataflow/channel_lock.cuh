// SPDX-License-Identifier: Apache-2.0
// The spin lock of a channel (ICS'15, Listing 5): the producer holds it while the channel is empty.
#pragma once

#include "finesync/device/atomic_ref.cuh"

#include <cstdint>

namespace finesync::inline FINESYNC_ABI {
namespace detail {

enum lock_holder : std::uint32_t {
  no_thread,  ///< the channel holds a token
  producer,   ///< the channel is empty
  consumer,   ///< a consumer is reading the token
};

/// Each end is used by one thread. \tparam Acquire, Release so that tests can weaken one.
template <memory_order Acquire = memory_order::acquire,
          memory_order Release = memory_order::release>
class channel_lock {
 public:
  __device__ explicit channel_lock(cell<std::uint32_t>& held) : held_(held) {}

  __device__ void open() const { held_.store(producer, memory_order::relaxed); }
  __device__ void give() const { held_.exchange(no_thread, Release); }
  __device__ bool is_empty() const { return held_.load(Acquire) == producer; }
  /// Locks the channel if it holds a token. The caller then reads the token and calls unlock().
  __device__ bool try_lock() const {
    std::uint32_t expected = no_thread;
    return held_.compare_exchange(expected, consumer, Acquire);
  }
  __device__ void unlock(bool token_stays) const {
    held_.exchange(token_stays ? no_thread : producer, Release);
  }

 protected:
  atomic_ref<std::uint32_t, scope::block> held_;
};

}  // namespace detail
}  // namespace finesync::inline FINESYNC_ABI
