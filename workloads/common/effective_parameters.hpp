// What a run really used, for the rows of results: the grid, and the parameters of primitives.
#pragma once

#include <bench/experiment.hpp>
#include <finesync/host/launch_shape.cuh>
#include <finesync/server/server_config.cuh>

namespace finesync::workload {

/// Adds a number to the parameters of a row.
inline void add_parameter(bench::parameters& effective, const char* name, unsigned value) {
  effective[name] = static_cast<long long>(value);
}

/// blocks, threads_per_block, and with clusters cluster_blocks.
inline bench::parameters parameters_of(const launch_shape& grid) {
  bench::parameters effective;
  add_parameter(effective, "blocks", grid.blocks);
  add_parameter(effective, "threads_per_block", grid.threads_per_block);
  if (grid.cluster_blocks > 1) add_parameter(effective, "cluster_blocks", grid.cluster_blocks);
  return effective;
}

/// With the numbers of server and client blocks, and the capacities of servers.
inline bench::parameters with_parameters_of(const server_config& config,
                                            bench::parameters effective) {
  add_parameter(effective, "server_blocks", config.servers);
  add_parameter(effective, "client_blocks", config.clients);
  add_parameter(effective, "ring_requests", config.ring);
  add_parameter(effective, "server_locks", config.locks);
  add_parameter(effective, "local_buffer_requests", config.local_buffer);
  return effective;
}

/// With those that a primitive has of: slots, max_local_passes, wait_lines, and the limits of its
/// back-off. The limits are backoff_min_ns and backoff_max_ns (0: no sleep), or
/// backoff_ns_per_waiter.
template <class Primitive>
bench::parameters with_parameters_of(bench::parameters effective) {
  if constexpr (requires { typename Primitive::inner_lock; })
    effective = with_parameters_of<typename Primitive::inner_lock>(effective);
  if constexpr (requires { Primitive::slots; }) add_parameter(effective, "slots", Primitive::slots);
  if constexpr (requires { Primitive::max_local_passes; })
    add_parameter(effective, "max_local_passes", Primitive::max_local_passes);
  if constexpr (requires { Primitive::lines; })
    add_parameter(effective, "wait_lines", Primitive::lines);
  if constexpr (requires { typename Primitive::backoff_policy; }) {
    using backoff = typename Primitive::backoff_policy;
    add_parameter(effective, "backoff_max_ns", backoff::max_ns);
    if constexpr (requires { backoff::min_ns; })
      add_parameter(effective, "backoff_min_ns", backoff::min_ns);
    if constexpr (requires { backoff::ns_per_waiter; })
      add_parameter(effective, "backoff_ns_per_waiter", backoff::ns_per_waiter);
  }
  return effective;
}

}  // namespace finesync::workload
