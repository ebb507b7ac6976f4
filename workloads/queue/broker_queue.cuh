// The Broker queue: a counter says how many items there are, and who finds room or items by it
// draws tickets. For comparison.
//
// Use: ring_queue.cuh, by warps. A place has no tickets yet; put() and take() draw them.
// Participants: producers and consumers, any number of each, of all blocks. Whole warps.
// Scope, ordering: vyukov_queue.cuh, whose ring and tickets these are.
// Progress: a warp looks at the counter before it adds to it, and takes back what it added too
//   much. Only who has been promised a place waits at its slot. FIFO by ticket. A place that a
//   given-up wait leaves with tickets is lost.
// Traffic: per warp and item of a thread one addition to the counter at least, one to tail or head,
//   and what the ring says. All warps poll the counter while the queue is full or empty.
// Limits: a capacity of at least 32, a power of two.
// Reset: reset().
// Source: B. Kerbl et al., "The Broker Queue", ICS 2018. There an addition is for a thread, here
//   for a warp.
#pragma once

#include <finesync/device/atomic_ref.cuh>
#include <finesync/device/warp.cuh>
#include <finesync/device/watchdog.cuh>
#include <finesync/host/buffer.cuh>
#include <finesync/queues/vyukov_queue.cuh>

#include <cstddef>
#include <cstdint>

namespace finesync::queue {

/// Zero at first.
struct broker_state {
  alignas(line_bytes) cell<std::int32_t> items;  ///< also too many or below 0, until taken back
  alignas(line_bytes) cell<std::uint32_t> producers_done;
  cell<std::uint32_t> closed;
};

/// What one lane does for its warp.
class broker_counter {
  using word = atomic_ref<std::int32_t, scope::device>;

 public:
  __device__ explicit broker_counter(broker_state& state) : items_(state.items) {}

  /// Promises room for `wanted` items, or for none.
  __device__ bool claim_room(int wanted, int capacity) const {
    if (items_.load(memory_order::relaxed) + wanted > capacity) return false;
    if (items_.fetch_add(wanted, memory_order::relaxed) + wanted <= capacity) return true;
    items_.fetch_add(-wanted, memory_order::relaxed);
    return false;
  }
  /// Promises up to `wanted` items. \returns how many.
  __device__ int claim_items(int wanted) const {
    if (items_.load(memory_order::relaxed) <= 0) return 0;
    const int there = items_.fetch_add(-wanted, memory_order::relaxed);
    const int claimed = there >= wanted ? wanted : there > 0 ? there : 0;
    if (claimed != wanted) items_.fetch_add(wanted - claimed, memory_order::relaxed);
    return claimed;
  }

 private:
  word items_;
};

/// \tparam Counter a parameter for the broken variant of the tests.
template <class T, class Counter>
class broker_queue_ref {
  using ring_of_tickets = typename vyukov_queue<T>::ref_type;
  using ticket = typename ring_of_tickets::ticket;

 public:
  using item_type = T;
  template <unsigned Items>
  using push_place = queue_place<queue_end::tail, Items, ticket>;
  template <unsigned Items>
  using pop_place = queue_place<queue_end::head, Items, ticket>;

  broker_queue_ref(const ring_of_tickets& ring, broker_state* state, std::size_t capacity)
      : ring_(ring), state_(state), capacity_(static_cast<int>(capacity)) {}

  __host__ __device__ std::size_t shared_bytes() const { return 0; }
  __device__ broker_queue_ref join(unsigned char*) const { return *this; }

  template <unsigned Items = 1, class Asker>
  __device__ push_place<Items> reserve_push(Asker&& asker) const {
    return asker.template places<push_place<Items>, Items>(no_ticket);
  }
  template <unsigned Items = 1, class Asker>
  __device__ pop_place<Items> reserve_pop(Asker&& asker) const {
    return asker.template places<pop_place<Items>, Items>(no_ticket);
  }

  template <unsigned Items>
  __device__ bool put(push_place<Items>& place, const T (&items)[Items],
                      const watchdog_ref& watchdog) const {
    for (unsigned k = 0; k < Items; ++k) {
      const bool mine = place.lacks(k);
      const int wanted = __popc(__ballot_sync(all_lanes, mine));
      bounded_wait wait(watchdog, awaited::queue_space);
      while (!of_warp([&] { return Counter(*state_).claim_room(wanted, capacity_); }))
        if (__any_sync(all_lanes, wait.timed_out())) return false;
      auto at = ring_.reserve_push(by_warp::where(mine));
      const T one[1] = {items[k]};
      if (!ring_.put(at, one, watchdog)) return false;
      place.done(k);
    }
    place = {};
    return true;
  }

  template <unsigned Items>
  __device__ popped<T, Items> take(pop_place<Items>& place, const watchdog_ref& watchdog) const {
    popped<T, Items> got;
    for (unsigned k = 0; k < Items && got.how == taking::complete; ++k) {
      bounded_wait wait(watchdog, awaited::queue_item);
      while (const unsigned lacking = __ballot_sync(all_lanes, place.lacks(k))) {
        // First: no item comes between this look and that at the counter that finds none.
        const bool closed =
            atomic_ref<std::uint32_t, scope::device>(state_->closed).load(memory_order::acquire);
        const int claimed = of_warp([&] { return Counter(*state_).claim_items(__popc(lacking)); });
        if (claimed != 0)
          got.how = take_claimed(place, k, lanes_below(lacking) < static_cast<unsigned>(claimed),
                                 got, watchdog);
        else if (__all_sync(all_lanes, closed))
          got.how = taking::closed;
        else if (__any_sync(all_lanes, wait.timed_out()))
          got.how = taking::incomplete;
        if (got.how != taking::complete) break;
      }
    }
    place = {};
    return got;
  }

  __device__ void leave(unsigned producers) const {
    using count = atomic_ref<std::uint32_t, scope::device>;
    ring_.leave(producers);
    if (count(state_->producers_done).fetch_add(1, memory_order::acq_rel) + 1 == producers)
      count(state_->closed).store(1, memory_order::release);
  }

 private:
  static constexpr unsigned all_lanes = 0xffffffffu;

  __device__ static ticket no_ticket(unsigned) { return 0; }

  template <class Claim>
  __device__ static int of_warp(Claim claim) {
    const int claimed = lane_id() == 0 ? static_cast<int>(claim()) : 0;
    return __shfl_sync(all_lanes, claimed, 0);
  }

  /// Takes item k of the lanes that lack it and have a claim.
  template <unsigned Items>
  __device__ taking take_claimed(pop_place<Items>& place, unsigned k, bool has_claim,
                                 popped<T, Items>& got, const watchdog_ref& watchdog) const {
    auto at = ring_.reserve_pop(by_warp::where(has_claim && place.lacks(k)));
    const auto one = ring_.take(at, watchdog);
    if (!one.has(0)) return one.how;
    got.item[k] = one.item[0];
    got.ticket[k] = one.ticket[0];
    got.taken |= 1u << k;
    place.done(k);
    return one.how;
  }

  ring_of_tickets ring_;
  broker_state* state_;
  int capacity_;
};

template <class T, class Counter = broker_counter>
class basic_broker_queue {
 public:
  static constexpr bool draws_tickets_late = true;
  using ref_type = broker_queue_ref<T, Counter>;
  using item_type = T;

  explicit basic_broker_queue(std::size_t capacity) : ring_(capacity) {}

  void reset() {
    ring_.reset();
    state_.reset();
  }
  std::size_t capacity() const { return ring_.capacity(); }
  ref_type ref() const { return {ring_.ref(), state_.device_data(), capacity()}; }

 private:
  vyukov_queue<T> ring_;
  zeroed_states<broker_state> state_;
};

template <class T>
using broker_queue = basic_broker_queue<T>;

}  // namespace finesync::queue
