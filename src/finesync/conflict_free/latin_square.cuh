// The tournament of two kinds of players, lefts and rights, of which every left meets every right:
// users and movies, sources and sinks. The table of lefts by rights that has in it the round of
// each meeting is a latin square, or some rows of one: in a round no left and no right is twice.
//
// Players are numbered lefts first. The fewer stay, each at a table of its own; the more numerous
// sit around a circle that turns by one place a round, and those who are at no table pause.
//
//   round r, table k:  player k of the fewer, player k + r, on the circle, of the more numerous
//
// Contract: tournament.cuh. rounds() is the greater of the two numbers, tables() the lesser.
#pragma once

#include "finesync/conflict_free/pair_schedule.cuh"

namespace finesync {
inline namespace FINESYNC_ABI {

class latin_square {
 public:
  /// \param lefts, rights at least 1 each.
  __host__ __device__ constexpr latin_square(unsigned lefts, unsigned rights)
      : lefts_(lefts), rights_(rights) {}

  __host__ __device__ constexpr unsigned players() const { return lefts_ + rights_; }
  __host__ __device__ constexpr unsigned rounds() const { return lefts_turn() ? lefts_ : rights_; }
  __host__ __device__ constexpr unsigned tables() const { return lefts_turn() ? rights_ : lefts_; }

  __host__ __device__ constexpr match match_of(unsigned a, unsigned b) const {
    const bool swapped = a >= lefts_;
    const unsigned left = swapped ? b : a;
    const unsigned right = (swapped ? a : b) - lefts_;
    const unsigned table = lefts_turn() ? right : left;
    return {turned_back(lefts_turn() ? left : right, table), table, swapped};
  }

  __host__ __device__ constexpr pairing players_at(unsigned round, unsigned table) const {
    const unsigned sum = round + table;
    const unsigned turned = sum < rounds() ? sum : sum - rounds();
    return lefts_turn() ? pairing{turned, lefts_ + table} : pairing{table, lefts_ + turned};
  }

  __host__ __device__ constexpr unsigned free_since(unsigned player, unsigned round) const {
    if (!turns(player) || table_of(player, round) + 1 != tables()) return round;
    return round > pause() ? round - pause() : 0;  // the others come from the table before
  }
  __host__ __device__ constexpr unsigned wanted_in(unsigned player, unsigned round) const {
    return !turns(player) || table_of(player, round) != 0 ? round + 1 : round + 1 + pause();
  }

 private:
  __host__ __device__ constexpr bool lefts_turn() const { return lefts_ > rights_; }
  __host__ __device__ constexpr bool turns(unsigned player) const {
    return (player < lefts_) == lefts_turn();
  }
  /// The rounds that a player pauses in a row.
  __host__ __device__ constexpr unsigned pause() const { return rounds() - tables(); }

  /// How far the circle has turned from `from` to `place`.
  __host__ __device__ constexpr unsigned turned_back(unsigned place, unsigned from) const {
    return place >= from ? place - from : place + rounds() - from;
  }
  /// Of a player that turns.
  __host__ __device__ constexpr unsigned table_of(unsigned player, unsigned round) const {
    return turned_back(lefts_turn() ? player : player - lefts_, round);
  }

  unsigned lefts_;
  unsigned rights_;
};

static_assert(tournament<latin_square>);

}  // namespace FINESYNC_ABI
}  // namespace finesync
