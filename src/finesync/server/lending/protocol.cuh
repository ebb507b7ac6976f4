// SPDX-License-Identifier: Apache-2.0
// Messages between servers for a section over data of two servers (ASPLOS'19, section 3.3).
// Protocol and contract: lending/nested_server_pool.cuh.
#pragma once

#include "finesync/device/cell.cuh"
#include "finesync/locks/tas_lock.cuh"
#include "finesync/server/reply.cuh"

#include <cstdint>

namespace finesync::inline FINESYNC_ABI {

/// Place of a datum while another server's section uses it. messages: in the messages, with its
/// lock, and otherwise in its owner's shared memory. global_memory: always in global memory, as in
/// the paper.
enum class data_placement { messages, global_memory };

/// Messages and locks. Broken variants in the tests may hide its member functions.
/// \tparam Lock any one-word lock with a try operation, at block scope (try_lock_base.cuh).
template <class Datum, data_placement Placement, class Lock = tas_lock<scope::block>>
struct nested_protocol {
  using datum = Datum;
  using lock = Lock;
  static constexpr bool passes_data = Placement == data_placement::messages;

  /// A request message asks for a lock; the reply goes to this address.
  using lock_request = reply_address;
  /// The reply: the lock is held for the requester until an unlock message arrives at the address.
  struct reply_with_datum {
    reply_address unlock;
    Datum value;
  };
  struct reply_alone {
    reply_address unlock;
  };
  using reply = std::conditional_t<passes_data, reply_with_datum, reply_alone>;
  /// The unlock message.
  struct unlock_with_datum {
    Datum value;
  };
  struct unlock_alone {};
  using unlock = std::conditional_t<passes_data, unlock_with_datum, unlock_alone>;

  static constexpr message_order order =
      passes_data ? message_order::relaxed : message_order::release_acquire;
  using lock_reply_slots = reply_slots<reply, order>;
  using unlock_slots = reply_slots<unlock, order>;

  /// Called after a lock was acquired for another server, and when it is returned.
  __device__ static void lend(lock /*held*/) {}
  __device__ static void take_back(lock held) { leave(held); }

  __device__ static reply_address unlock_address(const reply& lent) { return lent.unlock; }

  __device__ static bool try_take(lock wanted) {
    typename lock::acquisition acquisition = wanted.enqueue();
    return wanted.try_enter(acquisition);
  }
  __device__ static void leave(lock held) {
    typename lock::acquisition acquisition = {};
    held.leave(acquisition);
  }
};

}  // namespace finesync::inline FINESYNC_ABI
