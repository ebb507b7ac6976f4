// Kernels that hang, each by the fault of known blocks, for the tests of the report on both
// machines.
#pragma once

#include <finesync/barriers/counter_barrier.cuh>
#include <finesync/barriers/cutlass_counter_barrier.cuh>
#include <finesync/barriers/sense_reversing_barrier.cuh>
#include <finesync/barriers/team_barrier.cuh>
#include <finesync/device/await.cuh>
#include <finesync/events/event_counts.cuh>
#include <finesync/events/event_words.cuh>
#include <finesync/locks/array_lock.cuh>
#include <finesync/locks/exclusive.cuh>
#include <finesync/locks/lock_table.cuh>
#include <finesync/locks/mcs_lock.cuh>
#include <finesync/locks/tas_lock.cuh>
#include <finesync/locks/ticket_lock.cuh>
#include <finesync/queues/slot_queue.cuh>
#include <finesync/semaphores/semaphore.cuh>
#include <finesync/semaphores/ticket_semaphore.cuh>

#include <tests/library/harness/run.hpp>

#include <functional>
#include <memory>

namespace finesync::test {

using word_of_device = atomic_ref<std::uint32_t, scope::device>;

/// By one thread: waits until a counter has reached a number. Its index is for reports.
__device__ inline bool await_count(cell<std::uint32_t>* counters, unsigned index, unsigned wanted,
                                   const watchdog_ref& watchdog, awaited what) {
  const word_of_device counter(counters[index]);
  std::uint32_t seen = 0;
  const auto is_there = [&] {
    seen = counter.load(memory_order::relaxed);
    return seen >= wanted;
  };
  if (!await(watchdog.watching(index), what, is_there, [&] { return wait_evidence{seen, wanted}; }))
    return false;
  fence<memory_order::acquire, scope::device>();
  return true;
}

__device__ inline void add_one(cell<std::uint32_t>* counters, unsigned index) {
  fence<memory_order::release, scope::device>();
  word_of_device(counters[index]).fetch_add(1, memory_order::relaxed);
}

/// The last event: that every block is done. As in a persistent kernel, no block ends before.
inline constexpr unsigned all_done = 0;

__device__ inline void end_together(cell<std::uint32_t>* events, const watchdog_ref& watchdog) {
  add_one(events, all_done);
  await_count(events, all_done, gridDim.x, watchdog, awaited::event);
}

template <class BarrierRef>
__global__ void miss_a_barrier(BarrierRef barrier, unsigned culprit, unsigned round,
                               watchdog_ref watchdog) {
  auto participant = barrier.join(watchdog);
  for (unsigned now = 0; blockIdx.x != culprit || now != round; ++now)
    if (!participant.wait()) return;
}

/// Teams of three blocks, and of what is left, meet twice; the culprit once.
__global__ void miss_a_team(team_barrier::ref_type teams, cell<std::uint32_t>* events,
                            unsigned culprit, watchdog_ref watchdog) {
  constexpr unsigned size = 3;
  const unsigned team = blockIdx.x / size;
  const unsigned left = gridDim.x - team * size;
  auto member = teams.join(
      {.team = team, .rank = blockIdx.x % size, .members = left < size ? left : size}, watchdog);
  if (!member.wait() || blockIdx.x == culprit || !member.wait()) return;
  if (threadIdx.x == 0) end_together(events, watchdog);
}

/// The first half of the blocks arrive at an event, and the others wait for it. The culprit is in
/// the first half.
__global__ void miss_an_event(event_counts<>::ref_type counts, cell<std::uint32_t>* events,
                              unsigned culprit, watchdog_ref watchdog) {
  const unsigned producers = gridDim.x / 2;
  const auto event = counts.at(0);
  if (blockIdx.x == culprit) return;
  if (blockIdx.x < producers)
    event.arrive();
  else if (!event.wait(producers, watchdog))
    return;
  if (threadIdx.x == 0) end_together(events, watchdog);
}

/// The first half of the blocks put words, which the others take; the culprit puts none.
__global__ void keep_words(event_words<>::ref_type words, cell<std::uint32_t>* events,
                           unsigned culprit, watchdog_ref watchdog) {
  const unsigned producers = gridDim.x / 2;
  bool in_time = true;
  if (blockIdx.x == culprit) return;
  if (blockIdx.x < producers) {
    words.share_of(blockIdx.x).put(1, [](unsigned, unsigned) { return event_data{}; });
  } else {
    in_time =
        words.share_of(0, producers).take(1, watchdog, [](unsigned, unsigned, const event_data&) {
        });
  }
  if (__syncthreads_or(!in_time) == 0 && threadIdx.x == 0) end_together(events, watchdog);
}

/// The first half of the blocks push two places of 32 items each, the others pop as many, each by
/// its first warp; the culprit leaves at once.
template <class Queue>
__global__ void miss_a_queue(Queue shared_queue, cell<std::uint32_t>* events, unsigned culprit,
                             watchdog_ref watchdog) {
  const Queue queue = shared_queue.join(shared_bytes());
  const unsigned pairs = gridDim.x / 2;
  if (blockIdx.x == culprit || threadIdx.x >= 32) return;
  for (unsigned turn = 0; turn < 2 && blockIdx.x < 2 * pairs; ++turn) {
    if (blockIdx.x < pairs) {
      auto place = queue.template reserve_push<1>(by_warp::where(true));
      const std::uint32_t items[1] = {blockIdx.x};
      if (!queue.put(place, items, watchdog)) return;
    } else {
      auto place = queue.template reserve_pop<1>(by_warp::where(true));
      if (queue.take(place, watchdog).how != taking::complete) return;
    }
  }
  if (threadIdx.x == 0) end_together(events, watchdog);
}

/// `length` producers arrive at event 1, each after an event of its own, 2 + its number, which one
/// feeder triggers; all others wait for event 1. The culprit is a feeder that leaves.
__global__ void break_a_chain(cell<std::uint32_t>* events, unsigned length, unsigned culprit,
                              watchdog_ref watchdog) {
  if (threadIdx.x != 0) return;
  const unsigned me = blockIdx.x;
  if (me < length) {
    if (!await_count(events, 2 + me, 1, watchdog, awaited::event)) return;
    add_one(events, 1);
  } else if (me < 2 * length) {
    if (me == culprit) return;
    add_one(events, 2 + me - length);
  } else if (!await_count(events, 1, length, watchdog, awaited::event)) {
    return;
  }
  end_together(events, watchdog);
}

/// All blocks take one lock again and again; the culprit keeps it, and counts until all others have
/// given up. (The executor would end a launch in which memory does not change.)
template <class Lock>
__global__ void keep_a_lock(lock_table_ref<Lock> locks, cell<std::uint32_t>* beats, unsigned which,
                            unsigned culprit, unsigned turn, watchdog_ref watchdog) {
  if (threadIdx.x != 0) return;
  Lock lock = locks[which];
  no_observer nobody;
  for (unsigned now = 0;; ++now) {
    typename Lock::acquisition acquisition = lock.enqueue();
    if (!enter_exclusive<other_lanes::idle>(lock, acquisition, watchdog.watching(which), nobody))
      return;
    if (blockIdx.x == culprit && now == turn) {
      for (unsigned left = 1 << 14; left > 0; left -= watchdog.has_fired())
        word_of_device(*beats).fetch_add(1, memory_order::relaxed);
      return;
    }
    if (!leave_exclusive(lock, acquisition, watchdog.watching(which))) return;
  }
}

/// Two blocks take two locks in opposite orders, and each has its first before it wants the
/// other's.
template <class Lock>
__global__ void take_two_locks(lock_table_ref<Lock> locks, cell<std::uint32_t>* events,
                               unsigned first, unsigned second, watchdog_ref watchdog) {
  if (threadIdx.x != 0) return;
  if (blockIdx.x == first || blockIdx.x == second) {
    const unsigned mine = blockIdx.x == first ? 3 : 6;
    const unsigned other = 9 - mine;
    const auto both = [&] {
      add_one(events, 1);
      if (!await_count(events, 1, 2, watchdog, awaited::event)) return;
      run_exclusive<other_lanes::idle>(
          locks[other], [] {}, watchdog.watching(other).holding(mine));
    };
    if (!run_exclusive<other_lanes::idle>(locks[mine], both, watchdog.watching(mine))) return;
  }
  end_together(events, watchdog);
}

/// All blocks take a permit again and again; the culprits leave with theirs.
template <class Semaphore>
__global__ void leak_permits(Semaphore semaphore, unsigned first, unsigned second,
                             watchdog_ref watchdog) {
  if (threadIdx.x != 0) return;
  const bool leaks = blockIdx.x == first || blockIdx.x == second;
  no_observer nobody;
  for (unsigned now = 0;; ++now) {
    typename Semaphore::acquisition acquisition = semaphore.enqueue(1);
    if (!acquire<other_lanes::idle>(semaphore, acquisition, watchdog.watching(2), nobody)) return;
    if (leaks && now == 2) return;
    if (!release(semaphore, acquisition, watchdog.watching(2), nobody)) return;
  }
}

/// The first blocks serve the others, by their numbers; each client sends some requests. The
/// culprit is a server that leaves after its first.
__global__ void leave_clients(cell<std::uint32_t>* requests, cell<std::uint32_t>* replies,
                              cell<std::uint32_t>* events, unsigned servers, unsigned culprit,
                              watchdog_ref watchdog) {
  constexpr unsigned of_each = 3;
  if (threadIdx.x != 0) return;
  if (blockIdx.x < servers) {
    for (unsigned round = 1; round <= of_each; ++round) {
      for (unsigned client = servers + blockIdx.x; client < gridDim.x; client += servers) {
        if (!await_count(requests, client, round, watchdog, awaited::requests)) return;
        add_one(replies, client);
        if (blockIdx.x == culprit) return;
      }
    }
  } else {
    const word_of_device reply(replies[blockIdx.x]);
    const unsigned server = (blockIdx.x - servers) % servers;
    for (unsigned round = 1; round <= of_each; ++round) {
      add_one(requests, blockIdx.x);
      const auto has_come = [&] { return reply.load(memory_order::relaxed) >= round; };
      if (!await(watchdog.watching(server), awaited::reply, has_come)) return;
    }
  }
  end_together(events, watchdog);
}

/// One block is slow to every barrier.
template <class BarrierRef>
__global__ void come_late(BarrierRef barrier, unsigned slow, std::uint64_t by_ns, unsigned rounds,
                          watchdog_ref watchdog) {
  auto participant = barrier.join(watchdog);
  for (unsigned round = 0; round < rounds; ++round) {
    const std::uint64_t began = global_time_ns();
    while (blockIdx.x == slow && global_time_ns() - began < by_ns) sleep_ns(1000);
    if (!participant.wait()) return;
  }
}

/// A launch that hangs.
struct planted_hang {
  std::string name;
  std::vector<unsigned> culprits;               ///< block indices, ascending
  std::function<void(const watchdog&)> launch;  ///< queues it; owns what the kernel needs
};

/// The grid of one, and who is to blame.
struct hang_shape {
  launch_shape grid;
  unsigned culprit;
  unsigned other;  ///< not the culprit
};

template <class Barrier, class... Arguments>
planted_hang missed_barrier(const std::string& name, const hang_shape& in, unsigned round,
                            Arguments... arguments) {
  const auto barrier = std::make_shared<Barrier>(in.grid, arguments...);
  return {name, {in.culprit}, [=](const watchdog& timeout) {
            launch_cooperative(miss_a_barrier<decltype(barrier->ref())>, in.grid, barrier->ref(),
                               in.culprit, round, timeout.ref());
          }};
}

/// A kernel of one object, in which all end together.
template <class Owner, class Ref, class... Arguments>
planted_hang missed_object(const std::string& name, const launch_shape& grid, unsigned culprit,
                           void (*kernel)(Ref, cell<std::uint32_t>*, unsigned, watchdog_ref),
                           Arguments... arguments) {
  const auto object = std::make_shared<Owner>(arguments...);
  const auto events = std::make_shared<buffer<std::uint32_t>>(1);
  events->fill_bytes(0);
  return {name, {culprit}, [=](const watchdog& timeout) {
            const Ref ref = object->ref();
            launch_shape shape = grid;
            if constexpr (requires { ref.shared_bytes(); }) shape.shared_bytes = ref.shared_bytes();
            launch_cooperative(kernel, shape, ref, events->device_data(), culprit, timeout.ref());
          }};
}

inline planted_hang missed_team(const hang_shape& in) {
  return missed_object<team_barrier>("missed_team", in.grid, in.culprit, miss_a_team,
                                     in.grid.blocks);
}

inline planted_hang missed_event(const hang_shape& in) {
  return missed_object<event_counts<>>("missed_event", in.grid, in.culprit % (in.grid.blocks / 2),
                                       miss_an_event, 1u);
}

inline planted_hang kept_words(const hang_shape& in) {
  const unsigned producers = in.grid.blocks / 2;
  return missed_object<event_words<>>("kept_words", in.grid, in.culprit % producers, keep_words,
                                      producers, 3 * event_words<>::bytes_per_word, "words");
}

/// \param pushes whether the culprit was to push or to pop.
inline planted_hang missed_queue(const std::string& name, const hang_shape& in, bool pushes) {
  using queue = slot_queue<std::uint32_t>;
  const unsigned pairs = in.grid.blocks / 2;
  return missed_object<queue>(name, in.grid, in.culprit % pairs + (pushes ? 0 : pairs),
                              miss_a_queue<queue::ref_type>, 32u, "jobs");
}

inline planted_hang broken_chain(const hang_shape& in) {
  const unsigned length = in.grid.blocks / 3;
  const unsigned culprit = length + in.culprit % length;
  const auto events = std::make_shared<buffer<std::uint32_t>>(in.grid.blocks + 2);
  events->fill_bytes(0);
  return {"broken_chain", {culprit}, [=](const watchdog& timeout) {
            launch_cooperative(break_a_chain, in.grid, events->device_data(), length, culprit,
                               timeout.ref());
          }};
}

template <class Lock>
planted_hang kept_lock(const std::string& name, const hang_shape& in, unsigned turn) {
  const auto locks = std::make_shared<lock_table<Lock>>(8, lock_layout::padded,
                                                        in.grid.blocks * in.grid.threads_per_block);
  const auto beats = std::make_shared<buffer<std::uint32_t>>(1);
  return {name, {in.culprit}, [=](const watchdog& timeout) {
            launch_cooperative(keep_a_lock<Lock>, in.grid, locks->ref(), beats->device_data(), 5u,
                               in.culprit, turn, timeout.ref());
          }};
}

template <class Lock>
planted_hang locks_in_a_cycle(const std::string& name, const hang_shape& in) {
  const auto locks = std::make_shared<lock_table<Lock>>(8, lock_layout::padded,
                                                        in.grid.blocks * in.grid.threads_per_block);
  const auto events = std::make_shared<buffer<std::uint32_t>>(2);
  events->fill_bytes(0);
  return {name,
          {std::min(in.culprit, in.other), std::max(in.culprit, in.other)},
          [=](const watchdog& timeout) {
            launch_cooperative(take_two_locks<Lock>, in.grid, locks->ref(), events->device_data(),
                               in.culprit, in.other, timeout.ref());
          }};
}

inline planted_hang leaked_permits(const hang_shape& in) {
  const auto semaphore = std::make_shared<ticket_semaphore<>>(2);
  return {"leaked_permits",
          {std::min(in.culprit, in.other), std::max(in.culprit, in.other)},
          [=](const watchdog& timeout) {
            launch_cooperative(leak_permits<decltype(semaphore->ref())>, in.grid, semaphore->ref(),
                               in.culprit, in.other, timeout.ref());
          }};
}

inline planted_hang lost_server(const hang_shape& in) {
  const unsigned servers = in.grid.blocks / 4;
  const auto words = std::make_shared<buffer<std::uint32_t>>(2 * in.grid.blocks + 1);
  words->fill_bytes(0);
  const unsigned culprit = in.culprit % servers;
  return {"lost_server", {culprit}, [=](const watchdog& timeout) {
            cell<std::uint32_t>* const requests = words->device_data();
            launch_cooperative(leave_clients, in.grid, requests, requests + in.grid.blocks,
                               requests + 2 * in.grid.blocks, servers, culprit, timeout.ref());
          }};
}

/// Fifteen hangs of all kinds, with other culprits for each `seed`.
inline std::vector<planted_hang> planted_hangs(const launch_shape& grid, unsigned seed) {
  unsigned number = seed;
  const auto next = [&] {
    number = number * 1664525 + 1013904223;
    const unsigned culprit = (number >> 8) % grid.blocks;
    return hang_shape{grid, culprit,
                      (culprit + 1 + (number >> 20) % (grid.blocks - 1)) % grid.blocks};
  };
  return {
      missed_barrier<counter_barrier>("flat_counters", next(), seed % 5, counter_plan{}),
      missed_barrier<counter_barrier>("gather_broadcast", next(), seed % 5,
                                      counter_plan{.how = counter_topology::gather_broadcast}),
      missed_barrier<sense_reversing_barrier<>>("sense_reversing", next(), seed % 5),
      missed_barrier<cutlass_counter_barrier<>>("cutlass_counter", next(), seed % 5),
      missed_team(next()),
      missed_event(next()),
      kept_words(next()),
      missed_queue("nothing_pushed", next(), true),
      missed_queue("nothing_popped", next(), false),
      broken_chain(next()),
      kept_lock<ticket_lock<scope::device, no_backoff>>("kept_ticket", next(), seed % 3),
      kept_lock<mcs_lock<scope::device>>("kept_mcs", next(), seed % 3),
      locks_in_a_cycle<tas_lock<scope::device>>("cycle_of_tas", next()),
      leaked_permits(next()),
      lost_server(next()),
  };
}

}  // namespace finesync::test
