// SPDX-License-Identifier: Apache-2.0
// Counter barriers of one topology each, with plans of their own. autotuned_barrier.cuh chooses
// among all three; these are for those who know which one they want, and for comparisons.
//
// Use: flat_counters_barrier barrier(shape); pass barrier.ref() to the kernel, then as
//   grid_barrier.cuh.
// Contract: counter_barrier.cuh.
#pragma once

#include "finesync/barriers/counter_barrier.cuh"
#include "finesync/barriers/measured_plans.cuh"

namespace finesync::inline FINESYNC_ABI {

/// The measured plan for a grid of this shape on this GPU, if it has this topology.
inline counter_plan flat_counters_plan(const launch_shape& shape, const gpu_properties& gpu) {
  const counter_plan measured = plan_for(plans_for(gpu), shape.blocks, shape.threads_per_block);
  if (measured.how == counter_topology::flat_counters) return measured;
  return {.counters = 8, .replicas = 2, .first_poll = 700};
}

inline constexpr counter_plan sm_counters_plan{
    .how = counter_topology::sm_counters, .replicas = 8, .first_poll = 600};

inline constexpr counter_plan gather_broadcast_plan{
    .how = counter_topology::gather_broadcast, .counters = 16, .replicas = 16, .first_poll = 250};

class flat_counters_barrier : public counter_barrier {
 public:
  explicit flat_counters_barrier(const launch_shape& shape, const stream& on = {})
      : counter_barrier(shape, flat_counters_plan(shape, gpu_of(on)), on) {}

 private:
  static gpu_properties gpu_of(const stream& on) {
    const device_guard here(on.device());
    return current_gpu();
  }
};

class sm_counters_barrier : public counter_barrier {
 public:
  explicit sm_counters_barrier(const launch_shape& shape, const stream& on = {})
      : counter_barrier(shape, sm_counters_plan, on) {}
};

class gather_broadcast_barrier : public counter_barrier {
 public:
  explicit gather_broadcast_barrier(const launch_shape& shape, const stream& on = {})
      : counter_barrier(shape, gather_broadcast_plan, on) {}
};

}  // namespace finesync::inline FINESYNC_ABI
