// What a timetable is made of: players meet in pairs, round after round, at tables. In a round
// nobody sits at two tables, so that what the pairs do there needs no lock; and every pair that is
// to meet does so once.
//
// A Tournament is a trivially copyable value, the same on the host and in kernels:
//   unsigned players() const
//|  unsigned rounds() const, tables() const
//|  match match_of(unsigned a, unsigned b) const      of two players in either order
//|  pairing players_at(unsigned round, unsigned table) const    its inverse
//|  unsigned free_since(unsigned player, unsigned round) const
//|                 for a player of a meeting in `round`: the round behind its last meeting before
//|                 that; 0 when there was none
//|  unsigned wanted_in(unsigned player, unsigned round) const
//|                 for the same: the round of its next meeting; rounds() or more: there is none
//
// Nobody waits in a tournament, and nothing of it is in memory.
#pragma once

#include "finesync/device/platform.cuh"

#include <concepts>
#include <type_traits>

namespace finesync {
inline namespace FINESYNC_ABI {

/// Where and when two players meet.
struct match {
  unsigned round;
  unsigned table;
  bool swapped;  ///< the players_at() there are the two in the other order

  friend bool operator==(const match&, const match&) = default;
};

/// Two players, or what each of two players has.
struct pairing {
  unsigned first;
  unsigned second;

  friend bool operator==(const pairing&, const pairing&) = default;
};

template <class T>
concept tournament = std::is_trivially_copyable_v<T> && requires(const T all, unsigned i) {
  { all.players() } -> std::same_as<unsigned>;
  { all.rounds() } -> std::same_as<unsigned>;
  { all.tables() } -> std::same_as<unsigned>;
  { all.match_of(i, i) } -> std::same_as<match>;
  { all.players_at(i, i) } -> std::same_as<pairing>;
  { all.free_since(i, i) } -> std::same_as<unsigned>;
  { all.wanted_in(i, i) } -> std::same_as<unsigned>;
};

/// The queues of a batch are numbered round by round, and within a round table by table, so that
/// a round's requests are next to each other.
template <tournament Tournament>
__host__ __device__ constexpr unsigned queue_at(const Tournament& all, unsigned round,
                                                unsigned table) {
  return round * all.tables() + table;
}
template <tournament Tournament>
__host__ __device__ constexpr unsigned queue_of(const Tournament& all, const match& at) {
  return queue_at(all, at.round, at.table);
}

/// Behind them is a queue for each player: what a group of data has to do within itself.
template <tournament Tournament>
__host__ __device__ constexpr unsigned home_queue_of(const Tournament& all, unsigned player) {
  return all.rounds() * all.tables() + player;
}
template <tournament Tournament>
__host__ __device__ constexpr unsigned queues_of(const Tournament& all) {
  return home_queue_of(all, all.players());
}

}  // namespace FINESYNC_ABI
}  // namespace finesync
