// SPDX-License-Identifier: Apache-2.0
// Schedules of conflict-free rounds: objects are paired, round after round. In a round no object
// belongs to two pairs, so work on the pairs needs no lock. Every pair of the schedule occurs in
// exactly one round.
//
// A pair_schedule is a trivially copyable value, the same on the host and in kernels:
//|  unsigned objects() const
//|  unsigned rounds() const, pairs_per_round() const
//|  pair_slot slot_of(unsigned a, unsigned b) const              two objects in either order
//|  object_pair objects_of(unsigned round, unsigned pair) const  its inverse
//|  unsigned available_from(unsigned object, unsigned round) const
//|                 for an object used in `round`: the round after its previous use; 0 if none
//|  unsigned next_use(unsigned object, unsigned round) const
//|                 for the same: the round of its next use; rounds() or more if none
//
// A schedule waits for nothing and uses no memory.
#pragma once

#include "finesync/device/platform.cuh"

#include <concepts>
#include <type_traits>

namespace finesync::inline FINESYNC_ABI {

/// The round and the place in it of a pair of objects.
struct pair_slot {
  unsigned round;
  unsigned pair;
  bool swapped;  ///< objects_of() gives them in the other order

  friend bool operator==(const pair_slot&, const pair_slot&) = default;
};

/// Two objects, or an attribute of each.
struct object_pair {
  unsigned first;
  unsigned second;

  friend bool operator==(const object_pair&, const object_pair&) = default;
};

template <class Type>
concept pair_schedule = std::is_trivially_copyable_v<Type> && requires(const Type all, unsigned i) {
  { all.objects() } -> std::same_as<unsigned>;
  { all.rounds() } -> std::same_as<unsigned>;
  { all.pairs_per_round() } -> std::same_as<unsigned>;
  { all.slot_of(i, i) } -> std::same_as<pair_slot>;
  { all.objects_of(i, i) } -> std::same_as<object_pair>;
  { all.available_from(i, i) } -> std::same_as<unsigned>;
  { all.next_use(i, i) } -> std::same_as<unsigned>;
};

/// The queues of a batch are numbered by round, and within a round by pair, so that a round's
/// requests are adjacent.
template <pair_schedule Schedule>
__host__ __device__ constexpr unsigned queue_at(const Schedule& all, unsigned round,
                                                unsigned pair) {
  return round * all.pairs_per_round() + pair;
}
template <pair_schedule Schedule>
__host__ __device__ constexpr unsigned queue_of(const Schedule& all, const pair_slot& at) {
  return queue_at(all, at.round, at.pair);
}

/// After them comes one queue per object: the sections within a group of data.
template <pair_schedule Schedule>
__host__ __device__ constexpr unsigned diagonal_queue_of(const Schedule& all, unsigned object) {
  return all.rounds() * all.pairs_per_round() + object;
}
template <pair_schedule Schedule>
__host__ __device__ constexpr unsigned queues_of(const Schedule& all) {
  return diagonal_queue_of(all, all.objects());
}

}  // namespace finesync::inline FINESYNC_ABI
