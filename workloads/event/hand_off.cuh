// The kernels: rounds of hand-offs between blocks, there and back.
#pragma once

#include "payload.cuh"
#include "waiting_times.hpp"

#include <finesync/device/atomic_ref.cuh>
#include <finesync/device/clock.cuh>
#include <finesync/device/numbering.cuh>
#include <finesync/device/shared_storage.cuh>
#include <finesync/device/watchdog.cuh>
#include <finesync/events/event_counts.cuh>

#include <cstddef>
#include <cstdint>

namespace finesync::hand_off {

/// Sums of what the blocks have found.
struct findings {
  cell<std::uint64_t>* stale_and_read;

  __device__ void add(const found_parts& found) const {
    using sum = atomic_ref<std::uint64_t, scope::device>;
    if (found.stale != 0) sum(stale_and_read[0]).fetch_add(found.stale, memory_order::relaxed);
    if (found.read != 0) sum(stale_and_read[1]).fetch_add(found.read, memory_order::relaxed);
  }
};

/// Two blocks hand payloads to and fro. \param places of the blocks: 0 and 1 take part.
/// \tparam Most accesses that a thread has for a payload, 0: any number.
/// \tparam WholeBlock whether a block's threads wait for each other before they answer.
template <class Payload, unsigned Most, bool WholeBlock>
__global__ void __launch_bounds__(1024, 1)
    to_and_fro(typename Payload::ref_type payload, const cell<std::uint32_t>* places,
               unsigned rounds, findings all, watchdog_ref watchdog) {
  assume_one_dimension();
  const std::uint32_t place = places[blockIdx.x];
  if (place > 1) return;
  const auto to = payload.template end_of<Most>(place, place, place, 1);
  const auto from = payload.template end_of<Most>(1 - place, 1 - place, 1 - place, 1);
  found_parts found;
  if (place == 0) to.put(1, [] {});
  for (std::uint32_t round = 1; round <= rounds; ++round) {
    bool in_time = from.wait(round, watchdog, found);
    if constexpr (WholeBlock) in_time = __syncthreads_or(!in_time) == 0;
    if (!in_time) break;
    from.read(round, found);
    to.put(place == 0 ? round + 1 : round, [] {});  // the very last one is not read
  }
  all.add(found);
}

/// Does not note times.
struct no_notes {
  __device__ void arriving(unsigned) const {}
  __device__ void waited(unsigned) const {}
  __device__ void has_read(unsigned) const {}
  __device__ void finish(unsigned, unsigned) const {}
  __device__ void pause(unsigned) const {}
};

/// Keeps them in shared memory until the end, where they disturb no fence.
class noted_times {
 public:
  static constexpr std::size_t bytes(unsigned rounds) { return rounds * sizeof(times_of_round); }

  explicit noted_times(cell<times_of_round>* times) : times_(times) {}

  __device__ void arriving(unsigned round) const { note(own()[round].arrived); }
  __device__ void waited(unsigned round) const { note(own()[round].waited); }
  __device__ void has_read(unsigned round) const { note(own()[round].had_read); }
  __device__ void finish(unsigned place, unsigned rounds) const {
    __syncthreads();
    for (unsigned i = threadIdx.x; i < rounds; i += blockDim.x)
      times_[place * rounds + i] = own()[i];
  }
  /// Until all consumers wait, a little longer from round to round: the clock has steps.
  __device__ void pause(unsigned round) const {
    const std::uint64_t began = global_time_ns();
    while (global_time_ns() - began < 1500 + round * 37 % 64) {
    }
  }

 private:
  __device__ static times_of_round* own() {
    return reinterpret_cast<times_of_round*>(shared_bytes());
  }
  __device__ static void note(std::uint32_t& time) {
    if (threadIdx.x == 0) time = static_cast<std::uint32_t>(global_time_ns());
  }

  cell<times_of_round>* times_;
};

/// In each round all producers put, all consumers take and arrive at an event in return.
template <class Payload, unsigned Most, class Notes>
__global__ void __launch_bounds__(1024, 1)
    to_all(typename Payload::ref_type payload, event_counts<>::ref_type returned,
           const cell<std::uint32_t>* places, crowd who, unsigned rounds, findings all,
           watchdog_ref watchdog, Notes notes) {
  assume_one_dimension();
  const std::uint32_t place = places[blockIdx.x];
  const bool produces = place < who.producers;
  const bool consumes = place - who.first_consumer < who.consumers;
  if (!produces && !consumes) return;
  const auto to = payload.template end_of<Most>(0, 0, produces ? place : 0, 1);
  const auto from = payload.template end_of<Most>(0, 0, 0, who.producers);
  const auto back = returned.at(0);
  found_parts found;
  for (std::uint32_t round = 1; round <= rounds; ++round) {
    if (produces) {
      if (!back.wait((round - 1) * who.consumers, watchdog)) break;
      notes.pause(round);
      to.put(round, [&] { notes.arriving(round - 1); });
    }
    if (consumes) {
      bool in_time = from.wait(round, watchdog, found);
      if constexpr (!Payload::waits_for_block) in_time = __syncthreads_or(!in_time) == 0;
      if (!in_time) break;
      notes.waited(round - 1);
      from.read(round, found);
      notes.has_read(round - 1);
      back.arrive();
    }
  }
  all.add(found);
  notes.finish(place, rounds);
}

}  // namespace finesync::hand_off
