// SPDX-License-Identifier: Apache-2.0
// The schedule for two kinds of objects, lefts and rights, that pairs every left with every right:
// users and movies, sources and sinks. A matrix, lefts by rights, of the round of each pair is a
// Latin square, or some rows of one: no left and no right occurs twice in a round.
//
// Lefts are numbered first. The kind with fewer objects stays, each object at its own pair index.
// The other kind rotates around a circle by one place per round; objects at no pair pause.
//
//|  round r, pair k:  object k of the smaller kind, object k + r, on the circle, of the larger
//
// Contract: pair_schedule.cuh. rounds() is the greater of the two numbers, pairs_per_round() the
//   lesser.
#pragma once

#include "finesync/conflict_free/pair_schedule.cuh"

namespace finesync::inline FINESYNC_ABI {

class latin_square {
 public:
  /// \param lefts, rights at least 1 each.
  __host__ __device__ constexpr latin_square(unsigned lefts, unsigned rights)
      : lefts_(lefts), rights_(rights) {}

  __host__ __device__ constexpr unsigned objects() const { return lefts_ + rights_; }
  __host__ __device__ constexpr unsigned rounds() const { return lefts_turn() ? lefts_ : rights_; }
  __host__ __device__ constexpr unsigned pairs_per_round() const {
    return lefts_turn() ? rights_ : lefts_;
  }

  __host__ __device__ constexpr pair_slot slot_of(unsigned a, unsigned b) const {
    const bool swapped = a >= lefts_;
    const unsigned left = swapped ? b : a;
    const unsigned right = (swapped ? a : b) - lefts_;
    const unsigned pair = lefts_turn() ? right : left;
    return {turned_back(lefts_turn() ? left : right, pair), pair, swapped};
  }

  __host__ __device__ constexpr object_pair objects_of(unsigned round, unsigned pair) const {
    const unsigned sum = round + pair;
    const unsigned turned = sum < rounds() ? sum : sum - rounds();
    return lefts_turn() ? object_pair{turned, lefts_ + pair} : object_pair{pair, lefts_ + turned};
  }

  __host__ __device__ constexpr unsigned available_from(unsigned object, unsigned round) const {
    if (!turns(object) || pair_of(object, round) + 1 != pairs_per_round()) return round;
    return round > pause() ? round - pause() : 0;  // the others come from the pair before
  }
  __host__ __device__ constexpr unsigned next_use(unsigned object, unsigned round) const {
    return !turns(object) || pair_of(object, round) != 0 ? round + 1 : round + 1 + pause();
  }

 private:
  __host__ __device__ constexpr bool lefts_turn() const { return lefts_ > rights_; }
  __host__ __device__ constexpr bool turns(unsigned object) const {
    return (object < lefts_) == lefts_turn();
  }
  /// Number of consecutive rounds that an object pauses.
  __host__ __device__ constexpr unsigned pause() const { return rounds() - pairs_per_round(); }

  /// How far the circle has rotated from `from` to `place`.
  __host__ __device__ constexpr unsigned turned_back(unsigned place, unsigned from) const {
    return place >= from ? place - from : place + rounds() - from;
  }
  /// For an object of the rotating kind.
  __host__ __device__ constexpr unsigned pair_of(unsigned object, unsigned round) const {
    return turned_back(lefts_turn() ? object : object - lefts_, round);
  }

  unsigned lefts_;
  unsigned rights_;
};

static_assert(pair_schedule<latin_square>);

}  // namespace finesync::inline FINESYNC_ABI
