// SPDX-License-Identifier: Apache-2.0
// A schedule of groups, refined to their members: where two groups are paired, each member of one
// is paired with each member of the other. Both groups keep their pair index until that is done. So
// the worker of a group pair, such as a warp, keeps its data for as many rounds as a group has
// members, and is independent of other workers meanwhile.
//
//|  group round 0   diagonal: pairs within each group, two groups per group pair
//|  group round m   groups as in their own round m - 1; in its round s, member i of the first
//|                  group is paired with member i + s, on a circle, of the second
//
// For groups of two kinds (latin_square) there is no diagonal: group round 0 is the groups' own
// round 0.
//
// Contract: pair_schedule.cuh. Member j of group g is object g * Size + j. Pair k of the groups has
//   the pairs k * Size to (k + 1) * Size - 1.
#pragma once

#include "finesync/conflict_free/pair_schedule.cuh"
#include "finesync/conflict_free/round_robin.cuh"

namespace finesync::inline FINESYNC_ABI {

/// \tparam Groups schedule of the groups. \tparam Size members per group, a power of two.
template <pair_schedule Groups, unsigned Size = 32>
class grouped_schedule {
  static_assert(Size >= 2 && (Size & (Size - 1)) == 0);

 public:
  static constexpr unsigned size = Size;
  /// Whether members of one group are also paired: if all groups have a place in the first round.
  static constexpr bool has_diagonal = requires(const Groups groups, unsigned i) {
    groups.first_place_of(i);
  };

  __host__ __device__ constexpr explicit grouped_schedule(const Groups& groups) : groups_(groups) {}

  __host__ __device__ constexpr const Groups& groups() const { return groups_; }
  __host__ __device__ constexpr unsigned objects() const { return groups_.objects() * Size; }
  /// The diagonal has one round fewer than other group rounds.
  __host__ __device__ constexpr unsigned rounds() const { return first_round_of(group_rounds()); }
  __host__ __device__ constexpr unsigned pairs_per_round() const {
    return groups_.pairs_per_round() * Size;
  }

  __host__ __device__ constexpr unsigned group_rounds() const {
    return groups_.rounds() + diagonal_rounds;
  }
  /// First round of a group round, or the end after the last one.
  __host__ __device__ constexpr unsigned first_round_of(unsigned group_round) const {
    return group_round == 0 ? 0 : group_round * Size - diagonal_rounds;
  }
  /// The groups' own round; for the diagonal that of the places in use, the first.
  __host__ __device__ constexpr unsigned schedule_round_of(unsigned group_round) const {
    return group_round == 0 ? 0 : group_round - diagonal_rounds;
  }

  __host__ __device__ constexpr pair_slot slot_of(unsigned a, unsigned b) const {
    const unsigned group = a / Size, other = b / Size;
    if constexpr (has_diagonal) {
      if (group == other) {
        pair_slot at = round_robin(Size).slot_of(a % Size, b % Size);
        const auto place = groups_.first_place_of(group);
        at.pair += place.pair * Size + (place.second ? Size / 2 : 0);
        return at;
      }
    }
    const pair_slot at = groups_.slot_of(group, other);
    const unsigned first = (at.swapped ? b : a) % Size, second = (at.swapped ? a : b) % Size;
    return {first_round_of(at.round + diagonal_rounds) + (second + Size - first) % Size,
            at.pair * Size + first, at.swapped};
  }

  __host__ __device__ constexpr object_pair objects_of(unsigned round, unsigned pair) const {
    const unsigned schedule_round = schedule_round_of(place_of(round).group_round);
    const object_pair groups = groups_.objects_of(schedule_round, pair / Size);
    const object_pair places = places_at(round, pair % Size);
    const auto object_at = [&](unsigned place) {
      return (place < Size ? groups.first : groups.second) * Size + place % Size;
    };
    return {object_at(places.first), object_at(places.second)};
  }
  /// The pair's indices among the members of both groups, those of the first group first.
  /// \param pair pair % Size.
  __host__ __device__ constexpr object_pair places_at(unsigned round, unsigned pair) const {
    const at_round at = place_of(round);
    if (!is_diagonal(at.group_round)) return {pair, Size + (pair + at.within) % Size};
    const object_pair members = round_robin(Size).objects_of(at.within, pair % (Size / 2));
    const unsigned group = pair < Size / 2 ? 0 : Size;
    return {group + members.first, group + members.second};
  }

  __host__ __device__ constexpr unsigned available_from(unsigned object, unsigned round) const {
    const at_round at = place_of(round);
    if (at.within != 0 || round == 0 || is_diagonal(at.group_round - 1)) return round;
    const unsigned since = groups_.available_from(object / Size, schedule_round_of(at.group_round));
    return since == 0 ? 0 : first_round_of(since + diagonal_rounds);
  }
  __host__ __device__ constexpr unsigned next_use(unsigned object, unsigned round) const {
    const at_round next = place_of(round + 1);
    if (next.within != 0 || is_diagonal(next.group_round - 1)) return round + 1;
    const unsigned wanted =
        groups_.next_use(object / Size, schedule_round_of(next.group_round - 1));
    return first_round_of(wanted + diagonal_rounds);
  }

 private:
  static constexpr unsigned diagonal_rounds = has_diagonal ? 1 : 0;

  struct at_round {
    unsigned group_round;
    unsigned within;  ///< rounds of the group round before this one
  };
  __host__ __device__ static constexpr at_round place_of(unsigned round) {
    const unsigned group_round = (round + diagonal_rounds) / Size;
    return {group_round, group_round == 0 ? round : (round + diagonal_rounds) % Size};
  }
  __host__ __device__ static constexpr bool is_diagonal(unsigned group_round) {
    return has_diagonal && group_round == 0;
  }

  Groups groups_;
};

static_assert(pair_schedule<grouped_schedule<round_robin>>);

}  // namespace finesync::inline FINESYNC_ABI
