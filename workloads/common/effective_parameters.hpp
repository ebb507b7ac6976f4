// What really ran, for the rows of results: the grid, and what primitives were made of.
#pragma once

#include <bench/experiment.hpp>
#include <finesync/host/launch_shape.cuh>
#include <finesync/server/server_config.cuh>

namespace finesync::workload {

/// Adds a number to the facts of a row.
inline void add_fact(bench::facts& ran, const char* name, unsigned value) {
  ran[name] = static_cast<long long>(value);
}

/// blocks, threads_per_block, and cluster_blocks where there are clusters.
inline bench::facts facts_of(const launch_shape& grid) {
  bench::facts ran;
  add_fact(ran, "blocks", grid.blocks);
  add_fact(ran, "threads_per_block", grid.threads_per_block);
  if (grid.cluster_blocks > 1) add_fact(ran, "cluster_blocks", grid.cluster_blocks);
  return ran;
}

/// Adds how many blocks serve and send, and what servers hold.
inline void add_facts_of(bench::facts& ran, const server_config& config) {
  add_fact(ran, "server_blocks", config.servers);
  add_fact(ran, "client_blocks", config.clients);
  add_fact(ran, "ring_requests", config.ring);
  add_fact(ran, "server_locks", config.locks);
  add_fact(ran, "local_buffer_requests", config.local_buffer);
}

/// Adds slots, batch, lines and the limits of the back-off, of a primitive that has them: sleeps of
/// backoff_min_ns to backoff_max_ns (0: it polls again at once), or of backoff_ns_per_waiter.
template <class Primitive>
void add_facts_of(bench::facts& ran) {
  if constexpr (requires { typename Primitive::inner_lock; })
    add_facts_of<typename Primitive::inner_lock>(ran);
  if constexpr (requires { Primitive::slots; }) add_fact(ran, "slots", Primitive::slots);
  if constexpr (requires { Primitive::batch; }) add_fact(ran, "batch", Primitive::batch);
  if constexpr (requires { Primitive::lines; }) add_fact(ran, "lines", Primitive::lines);
  if constexpr (requires { typename Primitive::backoff_policy; }) {
    using backoff = typename Primitive::backoff_policy;
    add_fact(ran, "backoff_max_ns", backoff::max_ns);
    if constexpr (requires { backoff::min_ns; }) add_fact(ran, "backoff_min_ns", backoff::min_ns);
    if constexpr (requires { backoff::ns_per_waiter; })
      add_fact(ran, "backoff_ns_per_waiter", backoff::ns_per_waiter);
  }
}

}  // namespace finesync::workload
