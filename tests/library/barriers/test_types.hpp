// The types of barriers that tests explore.
#pragma once

#include <finesync/barriers/atomic_tree_barrier.cuh>
#include <finesync/barriers/counter_barrier.cuh>
#include <finesync/barriers/lock_free_tree_barrier.cuh>
#include <finesync/barriers/sense_reversing_barrier.cuh>

#include <utility>

namespace finesync::test {

/// Counters with their own plan, made from a shape only, like the others.
template <counter_topology How, unsigned Lines, unsigned Replicas, unsigned Sides,
          class Fences = counter_fences, class Reduction = no_reduction>
struct planned : basic_counter_barrier<Fences, Reduction> {
  explicit planned(const launch_shape& shape)
      : basic_counter_barrier<Fences, Reduction>(shape, {How, Lines, Replicas, Sides}) {}
};

/// Counters with a reduction, in one trip and in two.
template <class Reduction, class Fences = counter_fences>
using flat_counters_with = planned<counter_topology::flat_counters, 4, 1, 2, Fences, Reduction>;
template <class Reduction, class Fences = counter_fences>
using gather_broadcast_with =
    planned<counter_topology::gather_broadcast, 4, 2, 2, Fences, Reduction>;

using atomic_tree = atomic_tree_barrier<>;
using sense_reversing = sense_reversing_barrier<>;
using lock_free_tree = lock_free_tree_barrier<>;
using flat_counters = planned<counter_topology::flat_counters, 4, 1, 2>;
using flat_counters_replicas = planned<counter_topology::flat_counters, 2, 2, 1>;
using sm_counters = planned<counter_topology::sm_counters, 1, 2, 2>;
using gather_broadcast = planned<counter_topology::gather_broadcast, 4, 2, 2>;

/// The ref of a Barrier, which kernels get.
template <class Barrier>
using ref_of = decltype(std::declval<const Barrier&>().ref());

}  // namespace finesync::test
