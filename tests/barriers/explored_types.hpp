// What the barriers are made of that tests explore.
#pragma once

#include <finesync/barriers/atomic_tree_barrier.cuh>
#include <finesync/barriers/counter_barrier.cuh>
#include <finesync/barriers/lock_free_tree_barrier.cuh>
#include <finesync/barriers/sense_reversing_barrier.cuh>

#include <utility>

namespace finesync::test {

/// Counters with a plan of their own, made like the others from a shape alone.
template <meeting How, unsigned Lines, unsigned Replicas, unsigned Sides,
          class Fences = counter_fences, class Payload = no_payload>
struct planned : basic_counter_barrier<Fences, Payload> {
  explicit planned(const launch_shape& shape)
      : basic_counter_barrier<Fences, Payload>(shape, {How, Lines, Replicas, Sides}) {}
};

/// Counters that carry something, in one trip and in two.
template <class Payload, class Fences = counter_fences>
using one_hop_with = planned<meeting::one_hop, 4, 1, 2, Fences, Payload>;
template <class Payload, class Fences = counter_fences>
using gather_scatter_with = planned<meeting::gather_scatter, 4, 2, 2, Fences, Payload>;

using atomic_tree = atomic_tree_barrier<>;
using sense_reversing = sense_reversing_barrier<>;
using lock_free_tree = lock_free_tree_barrier<>;
using one_hop = planned<meeting::one_hop, 4, 1, 2>;
using one_hop_replicas = planned<meeting::one_hop, 2, 2, 1>;
using sm_groups = planned<meeting::sm_groups, 1, 2, 2>;
using gather_scatter = planned<meeting::gather_scatter, 4, 2, 2>;

/// What a Barrier's kernels are given.
template <class Barrier>
using handle_of = decltype(std::declval<const Barrier&>().ref());

}  // namespace finesync::test
