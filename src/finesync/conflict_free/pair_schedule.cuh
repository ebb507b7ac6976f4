// What a timetable is made of: players meet in pairs, round after round, at tables. In a round
// nobody sits at two tables, so that what the pairs do there needs no lock; and every pair that is
// to meet does so once.
//
// A pair_schedule is a trivially copyable value, the same on the host and in kernels:
//   unsigned objects() const
//|  unsigned rounds() const, pairs_per_round() const
//|  pair_slot slot_of(unsigned a, unsigned b) const      of two players in either order
//|  object_pair objects_of(unsigned round, unsigned pair) const    its inverse
//|  unsigned available_from(unsigned object, unsigned round) const
//|                 for a player of a meeting in `round`: the round behind its last meeting before
//|                 that; 0 when there was none
//|  unsigned next_use(unsigned object, unsigned round) const
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
struct pair_slot {
  unsigned round;
  unsigned pair;
  bool swapped;  ///< the objects_of() there are the two in the other order

  friend bool operator==(const pair_slot&, const pair_slot&) = default;
};

/// Two players, or what each of two players has.
struct object_pair {
  unsigned first;
  unsigned second;

  friend bool operator==(const object_pair&, const object_pair&) = default;
};

template <class T>
concept pair_schedule = std::is_trivially_copyable_v<T> && requires(const T all, unsigned i) {
  { all.objects() } -> std::same_as<unsigned>;
  { all.rounds() } -> std::same_as<unsigned>;
  { all.pairs_per_round() } -> std::same_as<unsigned>;
  { all.slot_of(i, i) } -> std::same_as<pair_slot>;
  { all.objects_of(i, i) } -> std::same_as<object_pair>;
  { all.available_from(i, i) } -> std::same_as<unsigned>;
  { all.next_use(i, i) } -> std::same_as<unsigned>;
};

/// The queues of a batch are numbered round by round, and within a round table by table, so that
/// a round's requests are next to each other.
template <pair_schedule Schedule>
__host__ __device__ constexpr unsigned queue_at(const Schedule& all, unsigned round,
                                                unsigned pair) {
  return round * all.pairs_per_round() + pair;
}
template <pair_schedule Schedule>
__host__ __device__ constexpr unsigned queue_of(const Schedule& all, const pair_slot& at) {
  return queue_at(all, at.round, at.pair);
}

/// Behind them is a queue for each player: what a group of data has to do within itself.
template <pair_schedule Schedule>
__host__ __device__ constexpr unsigned diagonal_queue_of(const Schedule& all, unsigned object) {
  return all.rounds() * all.pairs_per_round() + object;
}
template <pair_schedule Schedule>
__host__ __device__ constexpr unsigned queues_of(const Schedule& all) {
  return diagonal_queue_of(all, all.objects());
}

}  // namespace FINESYNC_ABI
}  // namespace finesync
