// SPDX-License-Identifier: Apache-2.0
// Places in a queue: consecutive tickets of one of its ends, which a warp or a block takes with one
// atomic addition.
#pragma once

#include "finesync/device/cell.cuh"
#include "finesync/device/numbering.cuh"
#include "finesync/device/platform.cuh"
#include "finesync/device/warp.cuh"

#include <cstdint>

namespace finesync::inline FINESYNC_ABI {

enum class queue_end { tail, head };

/// What a thread holds of its warp's tickets: one for each of its `Items`. A place that is held is
/// a place in the line: it must be used, by the same lanes that took it. Default: none is held.
template <queue_end End, unsigned Items, class Ticket>
struct queue_place {
  static_assert(Items >= 1 && Items <= 8);

  Ticket first = 0;     ///< of the lane's item 0
  unsigned takers = 0;  ///< lanes of the warp with tickets; in all of its lanes the same
  unsigned left = 0;    ///< bit k: item k is still to be put or taken
  unsigned ready = 0;   ///< bit k: the slot of item k is known to be free

  /// In all lanes of the warp the same.
  __device__ bool held() const { return takers != 0; }
  /// The queue's order of the lane's item k. The warp's items of one k are neighbours.
  __device__ Ticket ticket(unsigned k) const {
    return first + k * static_cast<unsigned>(__popc(takers));
  }
  __device__ bool lacks(unsigned k) const { return (left >> k & 1) != 0; }
  __device__ void done(unsigned k) { left &= ~(1u << k); }
};

namespace detail {

template <class Place>
__device__ __forceinline__ Place place_from(decltype(Place::first) first, unsigned takers,
                                            unsigned items) {
  Place mine;
  mine.first = first + lanes_below(takers);
  mine.takers = takers;
  mine.left = (takers >> lane_id() & 1) != 0 ? (1u << items) - 1 : 0;
  return mine;
}

}  // namespace detail

/// Asks for the lanes of a warp: one addition for all that take part. All 32 lanes call each
/// member together, also those that take no part.
class by_warp {
 public:
  __device__ static by_warp all() { return by_warp(all_lanes); }
  __device__ static by_warp where(bool takes_part) {
    return by_warp(__ballot_sync(all_lanes, takes_part));
  }

  /// The next places are empty.
  __device__ void leave() { takers_ = 0; }

  /// \param add takes a number of tickets from the queue and returns the first.
  template <class Place, unsigned Items, class Add>
  __device__ __forceinline__ Place places(Add add) const {
    decltype(Place::first) first = 0;
    if (takers_ == 0) return {};
    const int leader = __ffs(static_cast<int>(takers_)) - 1;
    if (is_single_lane(static_cast<unsigned>(leader)))
      first = add(static_cast<unsigned>(__popc(takers_)) * Items);
    first = __shfl_sync(all_lanes, first, leader);
    return detail::place_from<Place>(first, takers_, Items);
  }

 private:
  static constexpr unsigned all_lanes = 0xffffffffu;

  __device__ explicit by_warp(unsigned takers) : takers_(takers) {}

  unsigned takers_;
};

/// Shared memory of by_block.
struct block_tickets {
  cell<std::uint64_t> first[2];
};

/// Asks for all threads of a block: one addition and one barrier of the block. All threads of the
/// block, which is whole warps, take the places together; each warp then uses its own by itself.
class by_block {
 public:
  __device__ explicit by_block(block_tickets& shared) : shared_(shared) {}

  /// The next places of all threads of the block are empty. Any thread.
  __device__ void leave() { leaves_ = true; }

  template <class Place, unsigned Items, class Add>
  __device__ __forceinline__ Place places(Add add) {
    cell<std::uint64_t>& first = shared_.first[turn_];  // the other one may still be read
    turn_ ^= 1;
    if (is_first_of_block() && !leaves_) first = add(block_threads() * Items);
    if (__syncthreads_or(leaves_) != 0) return {};
    const std::uint64_t of_warp = first + thread_rank() / 32 * 32 * Items;
    return detail::place_from<Place>(static_cast<decltype(Place::first)>(of_warp), 0xffffffffu,
                                     Items);
  }

 private:
  block_tickets& shared_;
  unsigned turn_ = 0;
  bool leaves_ = false;
};

}  // namespace finesync::inline FINESYNC_ABI
