// Blocks that carry numbered items through a queue, and what became of each item.
#pragma once

#include <finesync/queues/ring_queue.cuh>

#include <tests/library/dimensions/laid_out.hpp>
#include <tests/library/harness/run.hpp>

namespace finesync::test {

struct queue_load {
  unsigned producers = 1;  ///< blocks
  unsigned consumers = 1;
  bool all_do_both = false;  ///< the producers also consume; they alone
  unsigned warps = 1;        ///< of a block
  unsigned rounds = 3;       ///< places of each producing warp
  unsigned capacity = 32;
  bool some_lanes = false;  ///< other lanes take part in each round
  bool by_block = false;
  unsigned dimensions = 1;
  std::uint64_t watchdog_ns = 1'000'000'000;
};

struct load_memory {
  block_tickets tickets[2];
};
/// join()'s memory follows.
inline constexpr std::size_t shared_of_queue = 128;
static_assert(sizeof(load_memory) <= shared_of_queue);

/// What happened to an item; 0: nothing.
struct item_record {
  cell<std::uint64_t> pushed;  ///< with ticket pushed - 1
  cell<std::uint64_t> popped;
  cell<std::uint64_t> times_popped;
};

__device__ inline bool takes_part(const queue_load& load, unsigned round, unsigned salt) {
  return !load.some_lanes || (linear_thread() % 32 * 7 + round * 5 + salt) % 3 != 0;
}

/// Items are numbered by their producing thread, round and k.
template <unsigned Items, class Queue>
__global__ void carry(Queue shared_queue, queue_load load, item_record* records,
                      cell<std::uint32_t>* unknown, watchdog_ref watchdog) {
  using item = typename Queue::item_type;
  using count = atomic_ref<std::uint32_t, scope::device>;
  using entry = atomic_ref<std::uint64_t, scope::device>;
  auto& memory = *reinterpret_cast<load_memory*>(shared_bytes());
  const Queue queue = shared_queue.join(shared_bytes() + shared_of_queue);
  const bool produces = linear_block() < load.producers;
  const bool consumes = load.all_do_both || !produces;
  const unsigned me = linear_block() * threads_of_block() + linear_thread();
  const auto push = [&](auto&& asker, unsigned round) {
    auto place = queue.template reserve_push<Items>(asker);
    if (!place.held()) return false;
    item items[Items];
    for (unsigned k = 0; k < Items; ++k) {
      const std::uint32_t number = (me * load.rounds + round) * Items + k;
      items[k] = item(number);
      if (place.lacks(k))
        entry(records[number].pushed)
            .store(std::uint64_t{place.ticket(k)} + 1, memory_order::relaxed);
    }
    return queue.put(place, items, watchdog);
  };
  const auto pop = [&](auto&& asker) {
    auto place = queue.template reserve_pop<Items>(asker);
    if (!place.held()) return false;
    const auto got = queue.take(place, watchdog);
    for (unsigned k = 0; k < Items; ++k) {
      if (!got.has(k)) continue;
      const std::uint32_t number = got.item[k];
      if (number >= load.producers * threads_of_block() * load.rounds * Items) {
        count(*unknown).fetch_add(1, memory_order::relaxed);
        continue;
      }
      entry(records[number].popped).store(std::uint64_t{got.ticket[k]} + 1, memory_order::relaxed);
      entry(records[number].times_popped).fetch_add(1, memory_order::relaxed);
    }
    return got.how == taking::complete;
  };

  by_block pushing(memory.tickets[0]);
  by_block popping(memory.tickets[1]);
  const auto push_round = [&](unsigned round) {
    if (!load.by_block) return push(by_warp::where(takes_part(load, round, 0)), round);
    if (push(pushing, round)) return true;
    pushing.leave();
    return false;
  };
  const auto pop_round = [&](unsigned round) {
    if (!load.by_block) return pop(by_warp::where(takes_part(load, round, 0)));
    if (pop(popping)) return true;
    popping.leave();
    return false;
  };
  if (load.all_do_both) {
    bool goes_on = true;
    for (unsigned round = 0; round < load.rounds && goes_on; ++round) {
      if (load.by_block)
        goes_on = push_round(round) & pop_round(round);
      else
        goes_on = push_round(round) && pop_round(round);
    }
  } else if (produces) {
    for (unsigned round = 0; round < load.rounds; ++round)
      if (!push_round(round)) break;
    if (linear_thread() % 32 == 0) queue.leave(load.producers * load.warps);
  } else if (consumes) {
    unsigned round = 0;
    while (pop_round(round)) ++round;
  }
}

/// Carries all items; whether each arrived exactly once, at the place in the line at which it was
/// put.
template <unsigned Items, class Queue>
bool arrives(Queue& queue, const queue_load& load) {
  const unsigned threads = 32 * load.warps;
  const unsigned all = load.producers * threads * load.rounds * Items;
  struct record {
    std::uint64_t pushed, popped, times_popped;
  };
  auto records = buffer<record>::zeroed(all);
  auto unknown = zeroed(1);
  const auto ref = queue.ref();
  const bool ended =
      ends(watchdog(load.watchdog_ns), carry<Items, std::remove_const_t<decltype(ref)>>,
           laid_out({.blocks = load.producers + (load.all_do_both ? 0 : load.consumers),
                     .threads_per_block = threads,
                     .shared_bytes = shared_of_queue + ref.shared_bytes()},
                    load.dimensions),
           ref, load, reinterpret_cast<item_record*>(records.raw_pointer()), unknown);
  if (!ended || first_of(unknown) != 0) return false;
  std::uint64_t carried = 0;
  for (const record& each : records.to_host()) {
    if (each.popped != each.pushed || each.times_popped != (each.pushed != 0 ? 1u : 0u))
      return false;
    carried += each.times_popped;
  }
  return load.some_lanes ? carried > 0 : carried == all;
}

/// The same through a new queue.
template <class Queue, unsigned Items = 1>
bool arrives(const queue_load& load) {
  Queue queue(load.capacity);
  return arrives<Items>(queue, load);
}

}  // namespace finesync::test
