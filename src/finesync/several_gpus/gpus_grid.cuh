// SPDX-License-Identifier: Apache-2.0
// Grids of several GPUs: what a barrier of all their blocks asks of a shape, and the plan of
// gpus_barrier.cuh for it. Host side.
#pragma once

#include "finesync/barriers/counter_plan.cuh"
#include "finesync/host/gpu.cuh"
#include "finesync/host/launch_shape.cuh"
#include "finesync/host/peers.cuh"

#include <stdexcept>

namespace finesync::inline FINESYNC_ABI {

/// \returns the shape. \throws std::invalid_argument if a block has fewer threads than there are
/// GPUs, launch_error for an impossible shape.
inline const launch_shape& checked_for(const peers& all, const launch_shape& shape) {
  if (checked(shape).threads_per_block < all.size())
    throw std::invalid_argument("a barrier of several GPUs needs a thread of a block for each");
  return shape;
}

/// Of grids of this shape on the device of the first peer of this process, rounded up.
inline unsigned blocks_per_sm(const peers& all, const launch_shape& shape) {
  const device_guard here(all.streams()[0].device());
  const auto sms = static_cast<unsigned>(current_gpu().sms);
  return (shape.blocks * all.grids_beside(all.first()) + sms - 1) / sms;
}

/// The plan of gpus_barrier measured best with two H100s and with two H200s.
inline counter_plan gpus_plan(unsigned blocks_per_sm) {
  constexpr auto how = counter_topology::gather_broadcast;
  if (blocks_per_sm <= 2) return {.how = how, .counters = 1, .replicas = 4};
  if (blocks_per_sm <= 8) return {.how = how, .counters = 4, .replicas = 8};
  if (blocks_per_sm <= 16) return {.how = how, .counters = 8, .replicas = 8};
  return {.how = how, .counters = 32, .replicas = 8};
}

}  // namespace finesync::inline FINESYNC_ABI
