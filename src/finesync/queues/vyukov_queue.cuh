// SPDX-License-Identifier: Apache-2.0
// Vyukov's bounded queue, with a fetch-add per warp in place of a compare-and-swap per item.
//
// A sequence word per slot has the lap, and says whether it is free or full. A producer
// acquires it, stores the item, and releases it; so does a consumer.
//
// Use: ring_queue.cuh. vyukov_queue<Type>(capacity).ref() for kernels; Type has at most 16 bytes.
// Participants: producers and consumers, any number of each, of all blocks. Whole warps.
// Scope: device.
// Ordering: a consumer sees all that the producer did before it put the item. A release and an
//   acquire per item and end.
// Progress, closing, residency, fairness: ring_queue.cuh.
// Traffic: per item a load of the sequence, a store of it and an access to the item at each end.
// Reset: reset(), or zero the memory.
// Source: D. Vyukov, "Bounded MPMC queue", 1024cores.net. Different: there a thread takes its
//   position by a compare-and-swap once the slot allows it, so that it can fail and wait for none;
//   thousands of threads then win once per trip to the L2. Here tickets come first.
#pragma once

#include "finesync/host/buffer.cuh"
#include "finesync/queues/queue_lines.cuh"
#include "finesync/queues/sequence_ring.cuh"

#include <cstddef>
#include <cstdint>

namespace finesync::inline FINESYNC_ABI {

/// `Ring` is a parameter for the broken variants of the tests.
template <class Type, class Ring = sequence_ring<Type, scope::device>>
class basic_vyukov_queue {
 public:
  using ref_type = ring_queue<Ring>;
  using item_type = Type;

  /// \throws std::invalid_argument unless the capacity is a power of two of at least 2,
  /// std::bad_alloc if device memory is used up.
  explicit basic_vyukov_queue(std::size_t capacity, const placement& on = {})
      : laps_(capacity),
        lines_(on),
        sequences_(capacity, on, {.object = "slot", .object_bytes = sizeof(std::uint32_t)}),
        items_(capacity, on) {
    sequences_.fill_bytes(0);
  }

  void reset() {
    lines_.reset();
    sequences_.fill_bytes(0);
  }
  std::size_t capacity() const { return laps_.capacity(); }
  ref_type ref() const {
    return {lines_.ends(), Ring(laps_, sequences_.device_data(), items_.device_data())};
  }

 private:
  lap_tags<std::uint32_t> laps_;
  queue_lines<typename ref_type::ticket> lines_;
  buffer<std::uint32_t> sequences_;
  buffer<Type> items_;
};

template <class Type>
using vyukov_queue = basic_vyukov_queue<Type>;

}  // namespace finesync::inline FINESYNC_ABI
