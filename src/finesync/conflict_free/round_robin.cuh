// SPDX-License-Identifier: Apache-2.0
// The round-robin tournament: an even number n of objects, all paired with one another in n - 1
// rounds of n / 2 pairs. It uses the circle method: the last object stays, and the others rotate
// around a circle of n - 1 places, by one place per round.
//
//|  round r, pair 0:  r and the object that stays
//|           pair k:  r + k and r - k, on the circle
//
// Objects a and b of the circle are paired in the round r with 2 r = a + b on the circle. r is half
// of an even number. The circle is odd, so one of a + b and a + b + (n - 1) is even. The cost is
// additions, comparisons and a shift, without a division by n.
//
// Contract: pair_schedule.cuh.
// Source: R. Lucas, Recreations mathematiques, vol. 2 (1883).
#pragma once

#include "finesync/conflict_free/pair_schedule.cuh"

namespace finesync::inline FINESYNC_ABI {

class round_robin {
 public:
  /// \param objects an even number, at least 2. For an odd number, pass one more object without
  /// data.
  __host__ __device__ constexpr explicit round_robin(unsigned objects) : circle_(objects - 1) {}

  __host__ __device__ constexpr unsigned objects() const { return circle_ + 1; }
  __host__ __device__ constexpr unsigned rounds() const { return circle_; }
  __host__ __device__ constexpr unsigned pairs_per_round() const { return circle_ / 2 + 1; }

  __host__ __device__ constexpr pair_slot slot_of(unsigned a, unsigned b) const {
    const unsigned sum = on_circle(a + b);
    const unsigned round = (sum % 2 == 0 ? sum : sum + circle_) / 2;
    const unsigned ahead = on_circle(a + circle_ - round);  // from the round's place
    const bool behind = ahead > circle_ / 2;
    if (a == circle_ || b == circle_) return {a == circle_ ? b : a, 0, a == circle_};
    return {round, behind ? circle_ - ahead : ahead, behind};
  }

  __host__ __device__ constexpr object_pair objects_of(unsigned round, unsigned pair) const {
    if (pair == 0) return {round, circle_};
    return {on_circle(round + pair), on_circle(round + circle_ - pair)};
  }

  /// An object's place in the first round, in which no object pauses.
  struct first_place {
    unsigned pair;
    bool second;
  };
  __host__ __device__ constexpr first_place first_place_of(unsigned object) const {
    if (object == 0 || object == circle_) return {0, object == circle_};
    if (object <= circle_ / 2) return {object, false};
    return {circle_ - object, true};
  }

  __host__ __device__ constexpr unsigned available_from(unsigned /*object*/, unsigned round) const {
    return round;
  }
  __host__ __device__ constexpr unsigned next_use(unsigned /*object*/, unsigned round) const {
    return round + 1;
  }

 private:
  /// \param place less than two circles.
  __host__ __device__ constexpr unsigned on_circle(unsigned place) const {
    return place < circle_ ? place : place - circle_;
  }

  unsigned circle_;  ///< places on the circle; the number of the object that stays
};

static_assert(pair_schedule<round_robin>);

}  // namespace finesync::inline FINESYNC_ABI
