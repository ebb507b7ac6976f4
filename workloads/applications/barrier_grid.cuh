// The grid of an application, for any barrier: with clusters where the barrier uses them.
#pragma once

#include <finesync/barriers/cluster_barrier.cuh>
#include <finesync/host/launch.cuh>
#include <workloads/applications/barrier_cost.cuh>
#include <workloads/common/grid.cuh>

#include <type_traits>

namespace finesync::applications {

namespace detail {

/// In the largest clusters of which a whole grid fits.
template <class RunConfig, class... Kernels>
launch_shape grid_in_clusters(const RunConfig& config, std::size_t shared_bytes,
                              Kernels*... kernels) {
  const unsigned sms = workload::sms_of_grid(config);
  launch_shape shape{.threads_per_block = config.threads_per_block, .shared_bytes = shared_bytes};
  unsigned resident = 0;
  for (const unsigned cluster : {16u, 8u, 4u, 2u}) {
    shape.cluster_blocks = cluster;
    resident = workload::resident_of_all(shape, kernels...);
    const unsigned per_sm = config.blocks_per_sm == 0 ? resident / sms : config.blocks_per_sm;
    shape.blocks = per_sm * sms / cluster * cluster;
    if (shape.blocks != 0 && shape.blocks <= resident) return shape;
  }
  refuse_launch(shape, resident);
}

}  // namespace detail

/// The configured grid, of which all kernels can run. \throws launch_error if it does not fit.
template <class Barrier, class RunConfig, class... Kernels>
launch_shape grid_for(const RunConfig& config, std::size_t shared_bytes, Kernels*... kernels) {
  using ref_type = decltype(std::declval<const Barrier&>().ref());
  if constexpr (std::is_same_v<Barrier, cluster_barrier>)
    return detail::grid_in_clusters(config, shared_bytes, run_barriers<ref_type>, kernels...);
  else
    return workload::grid_for(config, shared_bytes, run_barriers<ref_type>, kernels...);
}

}  // namespace finesync::applications
