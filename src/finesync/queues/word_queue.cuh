// SPDX-License-Identifier: Apache-2.0
// What the owners of queues whose words carry the lap have in common. Host side.
#pragma once

#include "finesync/host/buffer.cuh"
#include "finesync/queues/lap.cuh"
#include "finesync/queues/queue_lines.cuh"
#include "finesync/queues/ring_queue.cuh"

#include <cstddef>

namespace finesync::inline FINESYNC_ABI {

/// Owns the words of a ring, and the ends of its queue.
template <class Ring, class Words>
class word_queue {
 public:
  using ring_type = Ring;
  using ref_type = ring_queue<Ring>;
  using item_type = typename Ring::item_type;

  /// \throws std::invalid_argument for a capacity that the ring does not have, std::bad_alloc if
  /// device memory is used up.
  explicit word_queue(std::size_t capacity, const placement& on = {})
      : laps_(capacity, Ring::least_capacity),
        lines_(on),
        words_(buffer<typename Words::word>::zeroed(
            Words::words_per_slot * capacity, on,
            {.object = "slot",
             .object_bytes = sizeof(typename Words::word),
             .number = [capacity](std::size_t word) { return word % capacity; }})) {}

  void reset() {
    lines_.reset();
    words_.fill_bytes(0);
  }
  std::size_t capacity() const { return laps_.capacity(); }

 protected:
  /// \param more what the ring takes besides laps and words.
  template <class... More>
  ref_type ref_with(More... more) const {
    return {lines_.ends(), Ring(laps_, Words(words_.device_data(), capacity()), more...)};
  }

 private:
  lap_tags<typename Ring::ticket> laps_;
  queue_lines<typename Ring::ticket> lines_;
  buffer<typename Words::word> words_;
};

}  // namespace finesync::inline FINESYNC_ABI
