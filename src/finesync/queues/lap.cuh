// SPDX-License-Identifier: Apache-2.0
// Tags of a slot's state, from the ticket: a slot is free for a lap, then holds the item of that
// lap, then is free for the next. The lap is kept in place, as the ticket without the slot's index,
// so that the tags of one slot follow one another, also where tickets begin again at 0. Zero is the
// tag of a slot that is free for lap 0. The capacity is a power of two of at least 2.
#pragma once

#include "finesync/device/platform.cuh"

#include <bit>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>

namespace finesync::inline FINESYNC_ABI {

template <class Ticket>
class lap_tags {
 public:
  /// \throws std::invalid_argument unless the capacity is a power of two of at least `least`.
  explicit lap_tags(std::size_t capacity, std::size_t least = 2)
      : capacity_(static_cast<Ticket>(capacity)),
        bits_(static_cast<unsigned>(std::countr_zero(capacity))) {
    if (capacity < least || !std::has_single_bit(capacity) || capacity > std::size_t{1} << 31)
      throw std::invalid_argument("the capacity of a queue is a power of two from " +
                                  std::to_string(least) + " to 2^31, not " +
                                  std::to_string(capacity));
  }

  /// Of a capacity of 2^bits.
  __host__ __device__ static constexpr lap_tags of_bits(unsigned bits) {
    lap_tags laps;
    laps.capacity_ = Ticket{1} << bits;
    laps.bits_ = bits;
    return laps;
  }

  __host__ __device__ std::size_t capacity() const { return capacity_; }
  __device__ Ticket lap(Ticket ticket) const { return ticket >> bits_; }
  __device__ std::size_t index(Ticket ticket) const { return ticket & (capacity_ - 1); }
  __device__ Ticket free(Ticket ticket) const { return ticket & ~(capacity_ - 1); }
  __device__ Ticket full(Ticket ticket) const { return free(ticket) | 1; }
  __device__ Ticket free_next(Ticket ticket) const { return free(ticket) + capacity_; }

 private:
  lap_tags() = default;

  Ticket capacity_ = 0;
  unsigned bits_ = 0;
};

}  // namespace finesync::inline FINESYNC_ABI
