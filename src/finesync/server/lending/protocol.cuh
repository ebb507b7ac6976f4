// What servers tell each other about a section over data of two of them (ASPLOS'19, section 3.3).
// The protocol and its contract: nested/server_grid.cuh.
#pragma once

#include "finesync/device/cell.cuh"
#include "finesync/locks/tas_lock.cuh"
#include "finesync/server/reply.cuh"

#include <cstdint>

namespace finesync {
inline namespace FINESYNC_ABI {

/// Where a datum is while a section of another server's works on it: in the messages, with its
/// lock, and otherwise in its owner's shared memory; or all the time in global memory, as the paper
/// has it.
enum class data_placement { messages, global_memory };

/// An offload message, beside the key of the lock that its server has.
template <class Argument>
struct offload {
  static constexpr std::uint32_t swapped = 0x80000000u;  ///< the other is the first of the section
  std::uint32_t other;                                   ///< the other key, and perhaps `swapped`
  [[no_unique_address]] Argument what;
};

/// Messages and locks. Its members that do something may be hidden by the broken variants of the
/// tests.
/// \tparam Lock any of one word that can be tried, at block scope (try_lock_base.cuh).
template <class Datum, data_placement Placement, class Lock = tas_lock<scope::block>>
struct nested_protocol {
  using datum = Datum;
  using lock = Lock;
  static constexpr bool carries = Placement == data_placement::messages;

  /// A request message asks for a lock; this is where the reply goes.
  using lock_request = reply_address;
  /// The reply: the lock is lent until an unlock message comes to the address.
  struct reply_with_datum {
    reply_address unlock;
    Datum value;
  };
  struct reply_alone {
    reply_address unlock;
  };
  using reply = std::conditional_t<carries, reply_with_datum, reply_alone>;
  /// The unlock message.
  struct unlock_with_datum {
    Datum value;
  };
  struct unlock_alone {};
  using unlock = std::conditional_t<carries, unlock_with_datum, unlock_alone>;

  static constexpr message_order order =
      carries ? message_order::relaxed : message_order::release_acquire;
  using lock_reply_slots = reply_slots<reply, order>;
  using unlock_slots = reply_slots<unlock, order>;

  /// A lock has been lent, or has come back.
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

}  // namespace FINESYNC_ABI
}  // namespace finesync
