// SPDX-License-Identifier: Apache-2.0
// The common part of the array locks: tickets, and a ticket's distance from the front of the queue.
// Each waiter polls its own slot, which shows nothing until its turn. Distant waiters read one
// common word to decide how long to sleep.
//
// Participants: threads; fewer than 2^31 at a time.
// Scope: template parameter.
// Ordering: none; call publish_front() inside the exclusive section, which orders its stores.
// Traffic: one fetch-add per ticket, one store per `interval` tickets served; a load of the common
//   word per sleep. With no_backoff no thread sleeps, and the word is not used.
// Reset: zero the state: ticket 0 is first, and at the front.
#pragma once

#include "finesync/device/atomic_ref.cuh"
#include "finesync/device/backoff.cuh"

#include <cstdint>
#include <type_traits>

namespace finesync::inline FINESYNC_ABI {

template <scope Scope, class Backoff>
class ticket_queue {
 public:
  struct state {
    alignas(line_bytes) cell<std::uint32_t> next;
    alignas(line_bytes)
        cell<std::uint32_t> served_hint;  ///< the last ticket served, or a slightly older one
  };
  struct acquisition {
    Backoff backoff;
    std::uint32_t ticket = 0;
    std::uint32_t ahead = ~0u;  ///< upper bound at the last poll
  };

  __device__ explicit ticket_queue(state& s) : next_(s.next), served_hint_(s.served_hint) {}

  __device__ acquisition enqueue() {
    return {.backoff = {}, .ticket = next_.fetch_add(1, memory_order::relaxed)};
  }
  __device__ std::uint32_t tickets_drawn() const { return next_.load(memory_order::relaxed); }

  /// Whether wait() would return at once.
  __device__ bool is_near(const acquisition& r) const { return !sleeps || r.ahead < near; }

  /// Sleeps if far from the front; near it returns at once, so that the thread does not miss its
  /// turn.
  __device__ void wait(acquisition& r) {
    if (is_near(r)) return;
    r.ahead = r.ticket - served_hint_.load(memory_order::relaxed);
    if (r.ahead >= near) r.backoff.wait(r.ahead);
  }
  /// By the ticket's holder.
  __device__ void publish_front(const acquisition& r) {
    if (sleeps && r.ticket % interval == 0) served_hint_.store(r.ticket, memory_order::relaxed);
  }

 private:
  static constexpr bool sleeps = !std::is_same_v<Backoff, no_backoff>;
  // A front up to two intervals old must not keep the next waiter asleep.
  static constexpr std::uint32_t interval = 8;
  static constexpr std::uint32_t near = 24;

  atomic_ref<std::uint32_t, Scope> next_;
  atomic_ref<std::uint32_t, Scope> served_hint_;
};

}  // namespace finesync::inline FINESYNC_ABI
