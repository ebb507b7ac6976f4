// SPDX-License-Identifier: Apache-2.0
// Requests with a reply: a client thread puts the address of a reply slot into its request,
// continues, and finds the reply there later.
//
//|  client                      its slot, in global memory               server
//|  ------                      ---------------------------              ------
//|  request_reply(out, key, what, slot)   [ reply k-1 | parity of k-1 ]
//|       └──── key, what, address of the slot and parity of k ────────>  section
//|  slot.poll()  not yet        [ reply k-1 | parity of k-1 ]              │ its reply
//|  slot.poll()  yes            [ reply k   | parity of k   ]  <───────────┘
//|  slot.reply()
//
// A slot is one word of 64 or 128 bits, accessed whole. Its last bit says whether it has been
// written since the client sent the request. So the slot needs no reset between two requests, and
// no separate flag. A reply has 0 to 3 words of 32 bits.
//
// Use: request_reply(out, key, argument, slot), then slot.poll() or slot.wait(watchdog), then
//   slot.reply()
// Participants: per slot one client thread, which sends its next request after the last reply; per
//   request one server thread, which replies once.
// Scope: `Scope`, by default device; system if the clients run on another device.
// Ordering: message_order::relaxed orders nothing: the word is the whole reply.
//   message_order::release_acquire puts a release fence before the word and an acquire fence after
//   it. The client then sees what the section, and the sections before it, wrote.
// Progress: the reply comes when the section has run. A client may wait for it: request_reply()
//   sends past the buffers, so its request does not stay in a buffer that no thread sends
//   meanwhile.
// Residency: that of the server pool, as the client waits for a server.
// Traffic: one store per reply; one load per poll.
// Reset: none; zeroed memory before the first use. If a request has no reply yet, as after a
//   watchdog, reply_slots::reset() resets all slots.
#pragma once

#include "finesync/device/fence.cuh"
#include "finesync/device/ptx/do_not_optimize.cuh"
#include "finesync/device/watchdog.cuh"
#include "finesync/host/buffer.cuh"
#include "finesync/server/fast/wire.cuh"

#include <cstdint>

namespace finesync::inline FINESYNC_ABI {

/// Where a reply goes, and the parity of this use of the slot. A request contains it.
struct reply_address {
  std::uint32_t word;
};

/// The slots of all clients; trivially copyable, passed by value.
template <class Reply, message_order Order = message_order::relaxed, scope Scope = scope::device>
class reply_slots_ref {
 public:
  using reply_type = Reply;
  using packed = packed_request<Reply>;
  using slot_type = wire_slot<packed::units, Scope>;
  static_assert(packed::units <= 2, "an answer is 0 to 3 words of 32 bits");

  explicit reply_slots_ref(slot_type* slots) : slots_(slots) {}

  /// The server's side: once per request, when its section has run.
  __device__ void reply(const reply_address& to, const Reply& what) const {
    if constexpr (Order == message_order::release_acquire) fence<memory_order::release, Scope>();
    slots_[to.word >> 1].store(packed::of(0, what), to.word & 1);
  }

  /// A client's slot.
  class reply_slot {
   public:
    __device__ reply_slot(const reply_slots_ref& all, std::uint32_t number)
        : slot_(all.slots_[number]), number_(number) {
      if (loaded(1)) parity_ = 1;
    }

    /// Begins a use: the address for one request, which gets one reply.
    __device__ reply_address expect() {
      parity_ ^= 1;
      return {number_ << 1 | parity_};
    }

    /// Whether the reply has come; reply() then returns it. Does not wait.
    __device__ bool poll() {
      if (!loaded(parity_)) return false;
      if constexpr (Order == message_order::release_acquire) fence<memory_order::acquire, Scope>();
      return true;
    }
    __device__ Reply reply() const { return found_.argument(); }

    /// Waits for the reply. \returns false when the watchdog ended the wait: leave the kernel.
    __device__ bool wait(const watchdog_ref& watchdog) {
      bounded_wait waiting(watchdog, awaited::reply);
      while (!poll())
        if (waiting.timed_out()) return false;
      return true;
    }

   private:
    __device__ bool loaded(std::uint32_t parity) {
      slot_.load(found_);
      // Keeps the access one word wide, even if only part of it is used.
      if constexpr (packed::units == 1)
        do_not_optimize(static_cast<std::uint32_t>(found_.unit[0]),
                        static_cast<std::uint32_t>(found_.unit[0] >> 32));
      return slot_type::arrived(found_, parity);
    }

    slot_type& slot_;
    std::uint32_t number_;
    std::uint32_t parity_ = 0;
    packed found_;
  };

 private:
  slot_type* slots_;
};

/// Owns the slots. Host side.
template <class Reply, message_order Order = message_order::relaxed, scope Scope = scope::device>
class reply_slots {
 public:
  using ref_type = reply_slots_ref<Reply, Order, Scope>;

  /// \param number of slots: one per request that may await its reply at a time; below 2^31.
  explicit reply_slots(std::uint32_t number, const stream& on = {})
      : slots_(number * sizeof(typename ref_type::slot_type), on) {
    reset();
  }

  /// Forgets requests that never got a reply.
  void reset() { slots_.fill_bytes(0); }

  ref_type ref() const {
    return ref_type(reinterpret_cast<typename ref_type::slot_type*>(slots_.raw_pointer()));
  }

 private:
  buffer<unsigned char> slots_;
};

/// A request that asks for a reply.
template <class Argument>
struct request_with_reply {
  [[no_unique_address]] Argument what;
  reply_address back;
};

/// Sends a request whose reply goes into a slot. \param out of a channel of
/// request_with_reply<Argument>. \returns false when the watchdog ended a wait for space: leave the
/// kernel.
template <class Outbox, class Argument, class Slot>
__device__ bool request_reply(Outbox& out, std::uint32_t key, const Argument& what, Slot& slot) {
  return out.send_now(key, request_with_reply<Argument>{what, slot.expect()});
}

/// Turns a service whose sections return their replies into one that sends them to the clients, for
/// a channel of request_with_reply<Service::argument>.
template <class Service, class Replies>
class replying : public Service {
 public:
  using argument = request_with_reply<typename Service::argument>;
  using reply = typename Replies::reply_type;

  replying(const Service& service, const Replies& replies) : Service(service), replies_(replies) {}

  /// Runs a section of the service, then sends its reply.
  template <class Section>
  struct section {
    Section inner;
    Replies replies;
    reply_address back;

    template <class... Data>
    __device__ void operator()(Data&... data) const {
      replies.reply(back, inner(data...));
    }
  };

  __device__ auto operator()(std::uint32_t key, const argument& asked) const {
    auto inner = Service::operator()(key, asked.what);
    return section<decltype(inner)>{inner, replies_, asked.back};
  }

 protected:
  Replies replies_;
};

}  // namespace finesync::inline FINESYNC_ABI
