// Every barrier of the library, as type lists for typed tests.
#pragma once

#include <finesync/barriers/adaptive_barrier.cuh>
#include <finesync/barriers/atomic_tree_barrier.cuh>
#include <finesync/barriers/cluster_barrier.cuh>
#include <finesync/barriers/cooperative_barrier.cuh>
#include <finesync/barriers/lock_free_tree_barrier.cuh>
#include <finesync/barriers/sense_reversing_barrier.cuh>

#include <tests/tested_types.hpp>

#include <utility>

namespace finesync::test {

/// Counters with a plan of their own, made like the others from a shape alone.
template <meeting How, unsigned Lines, unsigned Replicas, unsigned Sides,
          class Fences = counter_fences>
struct planned : basic_counter_barrier<Fences> {
  explicit planned(const launch_shape& shape)
      : basic_counter_barrier<Fences>(shape, {How, Lines, Replicas, Sides}) {}
};

// Without back-off, so that schedules are not thinned out by sleep.
using atomic_tree = atomic_tree_barrier<>;
using sense_reversing = sense_reversing_barrier<>;
using lock_free_tree = lock_free_tree_barrier<>;
using one_hop = planned<meeting::one_hop, 4, 1, 2>;
using one_hop_replicas = planned<meeting::one_hop, 2, 2, 1>;
using sm_groups = planned<meeting::sm_groups, 1, 2, 2>;
using gather_scatter = planned<meeting::gather_scatter, 4, 2, 2>;

/// Of both lists, of which the first is the beginning of the second.
struct barrier_names : names_of_tested<barrier_names> {
  static constexpr const char* all[] = {
      "atomic_tree", "sense_reversing", "lock_free_tree", "one_hop", "one_hop_replicas",
      "sm_groups",   "gather_scatter",  "cooperative",    "cluster", "adaptive"};
};

/// Those that also have a barrier of the blocks of one SM.
using tree_barriers = tested_types<barrier_names, atomic_tree, sense_reversing, lock_free_tree>;

using all_barriers = tested_types<barrier_names, atomic_tree, sense_reversing, lock_free_tree,
                                  one_hop, one_hop_replicas, sm_groups, gather_scatter,
                                  cooperative_barrier, cluster_barrier, adaptive_barrier>;

/// What a Barrier's kernels are given.
template <class Barrier>
using handle_of = decltype(std::declval<const Barrier&>().ref());

}  // namespace finesync::test
