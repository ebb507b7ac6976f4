// A tournament of groups as one of their members: where two groups meet, each member of the one
// meets each of the other, and both groups stay at their table till that is done. So a table of
// groups, such as a warp, keeps its data for as many rounds as a group has members, and tables of
// different groups have nothing to do with each other meanwhile.
//
//|  meeting 0   at home: each group's members among themselves, two groups at a table
//|  meeting m   groups as in their own round m - 1; in the round s of it, member i of the first
//|              group meets member i + s, on a circle, of the second
//
// Where there are groups of two kinds, of a latin_square, nobody meets at home, and the first
// meeting is that of the groups' round 0.
//
// Contract: tournament.cuh. Member j of group g is player g * Size + j. Table k of the groups has
// tables k * Size to (k + 1) * Size - 1.
#pragma once

#include "finesync/conflict_free/pair_schedule.cuh"
#include "finesync/conflict_free/round_robin.cuh"

namespace finesync {
inline namespace FINESYNC_ABI {

/// \tparam Groups their tournament. \tparam Size members of a group: a power of two.
template <tournament Groups, unsigned Size = 32>
class grouped {
  static_assert(Size >= 2 && (Size & (Size - 1)) == 0);

 public:
  static constexpr unsigned size = Size;
  /// Whether members of one group meet, too: where all groups sit at a table at first.
  static constexpr bool meets_at_home = requires(const Groups groups, unsigned i) {
    groups.first_seat_of(i);
  };

  __host__ __device__ constexpr explicit grouped(const Groups& groups) : groups_(groups) {}

  __host__ __device__ constexpr const Groups& groups() const { return groups_; }
  __host__ __device__ constexpr unsigned players() const { return groups_.players() * Size; }
  /// At home there is one less than in other meetings.
  __host__ __device__ constexpr unsigned rounds() const { return first_round_of(meetings()); }
  __host__ __device__ constexpr unsigned tables() const { return groups_.tables() * Size; }

  __host__ __device__ constexpr unsigned meetings() const { return groups_.rounds() + home; }
  /// Of a meeting, or behind the last one.
  __host__ __device__ constexpr unsigned first_round_of(unsigned meeting) const {
    return meeting == 0 ? 0 : meeting * Size - home;
  }
  /// The round of the groups of which it is; at home the one whose tables they already sit at.
  __host__ __device__ constexpr unsigned groups_round_of(unsigned meeting) const {
    return meeting == 0 ? 0 : meeting - home;
  }

  __host__ __device__ constexpr match match_of(unsigned a, unsigned b) const {
    const unsigned group = a / Size, other = b / Size;
    if constexpr (meets_at_home) {
      if (group == other) {
        match at = round_robin(Size).match_of(a % Size, b % Size);
        const auto seat = groups_.first_seat_of(group);
        at.table += seat.table * Size + (seat.second ? Size / 2 : 0);
        return at;
      }
    }
    const match at = groups_.match_of(group, other);
    const unsigned first = (at.swapped ? b : a) % Size, second = (at.swapped ? a : b) % Size;
    return {first_round_of(at.round + home) + (second + Size - first) % Size,
            at.table * Size + first, at.swapped};
  }

  __host__ __device__ constexpr pairing players_at(unsigned round, unsigned table) const {
    const unsigned groups_round = groups_round_of(place_of(round).meeting);
    const pairing groups = groups_.players_at(groups_round, table / Size);
    const pairing places = places_at(round, table % Size);
    const auto player_at = [&](unsigned place) {
      return (place < Size ? groups.first : groups.second) * Size + place % Size;
    };
    return {player_at(places.first), player_at(places.second)};
  }
  /// Who they are among the members of both groups at their table, those of the first group first.
  /// \param seat table % Size.
  __host__ __device__ constexpr pairing places_at(unsigned round, unsigned seat) const {
    const at_round at = place_of(round);
    if (!is_at_home(at.meeting)) return {seat, Size + (seat + at.within) % Size};
    const pairing members = round_robin(Size).players_at(at.within, seat % (Size / 2));
    const unsigned group = seat < Size / 2 ? 0 : Size;
    return {group + members.first, group + members.second};
  }

  __host__ __device__ constexpr unsigned free_since(unsigned player, unsigned round) const {
    const at_round at = place_of(round);
    if (at.within != 0 || round == 0 || is_at_home(at.meeting - 1)) return round;
    const unsigned since = groups_.free_since(player / Size, groups_round_of(at.meeting));
    return since == 0 ? 0 : first_round_of(since + home);
  }
  __host__ __device__ constexpr unsigned wanted_in(unsigned player, unsigned round) const {
    const at_round next = place_of(round + 1);
    if (next.within != 0 || is_at_home(next.meeting - 1)) return round + 1;
    const unsigned wanted = groups_.wanted_in(player / Size, groups_round_of(next.meeting - 1));
    return first_round_of(wanted + home);
  }

 private:
  static constexpr unsigned home = meets_at_home ? 1 : 0;

  struct at_round {
    unsigned meeting;
    unsigned within;  ///< rounds of it before this one
  };
  __host__ __device__ static constexpr at_round place_of(unsigned round) {
    const unsigned meeting = (round + home) / Size;
    return {meeting, meeting == 0 ? round : (round + home) % Size};
  }
  __host__ __device__ static constexpr bool is_at_home(unsigned meeting) {
    return meets_at_home && meeting == 0;
  }

  Groups groups_;
};

static_assert(tournament<grouped<round_robin>>);

}  // namespace FINESYNC_ABI
}  // namespace finesync
