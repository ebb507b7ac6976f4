// The tournament of two kinds of players, lefts and rights, of which every left meets every right:
// users and movies, sources and sinks. The table of lefts by rights that has in it the round of
// each meeting is a latin square, or some rows of one: in a round no left and no right is twice.
//
// Players are numbered lefts first. The fewer stay, each at a table of its own; the more numerous
// sit around a circle that turns by one place a round, and those who are at no table pause.
//
//   round r, table k:  player k of the fewer, player k + r, on the circle, of the more numerous
//
// Contract: pair_schedule.cuh. rounds() is the greater of the two numbers, pairs_per_round() the
// lesser.
#pragma once

#include "finesync/conflict_free/pair_schedule.cuh"

namespace finesync {
inline namespace FINESYNC_ABI {

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
    return round > pause() ? round - pause() : 0;  // the others come from the table before
  }
  __host__ __device__ constexpr unsigned next_use(unsigned object, unsigned round) const {
    return !turns(object) || pair_of(object, round) != 0 ? round + 1 : round + 1 + pause();
  }

 private:
  __host__ __device__ constexpr bool lefts_turn() const { return lefts_ > rights_; }
  __host__ __device__ constexpr bool turns(unsigned object) const {
    return (object < lefts_) == lefts_turn();
  }
  /// The rounds that a player pauses in a row.
  __host__ __device__ constexpr unsigned pause() const { return rounds() - pairs_per_round(); }

  /// How far the circle has turned from `from` to `place`.
  __host__ __device__ constexpr unsigned turned_back(unsigned place, unsigned from) const {
    return place >= from ? place - from : place + rounds() - from;
  }
  /// Of a player that turns.
  __host__ __device__ constexpr unsigned pair_of(unsigned object, unsigned round) const {
    return turned_back(lefts_turn() ? object : object - lefts_, round);
  }

  unsigned lefts_;
  unsigned rights_;
};

static_assert(pair_schedule<latin_square>);

}  // namespace FINESYNC_ABI
}  // namespace finesync
