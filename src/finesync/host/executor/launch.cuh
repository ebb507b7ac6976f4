// SPDX-License-Identifier: Apache-2.0
// The host executor's part of launch.cuh.
#pragma once

#include "finesync/device/platform.cuh"
#include "finesync/host/launch_shape.cuh"
#include "finesync/host/stream.cuh"

#ifdef FINESYNC_HOST_EXECUTOR

#include "finesync/host/executor/checked_run.hpp"

#include <simt/launch.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <tuple>
#include <vector>

namespace finesync::inline FINESYNC_ABI {
namespace detail {

inline bool machine_has_clusters() {
  return simt::current_settings().gpu.max_cluster_blocks() > 1;
}

inline unsigned max_resident_blocks(const void* /*function*/, const launch_shape& shape) {
  return simt::max_resident_blocks(shape.threads_per_block, shape.shared_bytes,
                                   shape.cluster_blocks);
}

/// Reports name the kernel's call into these headers, not a line in them.
inline const bool reports_step_over_vocabulary =
    simt::step_over_sources("finesync/device/") && simt::step_over_sources("simt/cuda_atomics.hpp");

/// A grid that does not fit would run in parts.
inline constexpr bool start_refuses_what_does_not_fit = false;

/// One grid in each stream, at the same time. \param parameters one tuple per stream.
template <class... Parameters>
void start_together(std::span<const stream> on, void (*kernel)(Parameters...),
                    const launch_shape& shape, const std::tuple<Parameters...>* parameters) {
  struct call {
    void (*kernel)(Parameters...);
    const std::tuple<Parameters...>* parameters;
  };
  std::vector<call> calls(on.size());
  std::vector<simt::grid_on_gpu> grids(on.size());
  for (std::size_t i = 0; i < on.size(); ++i) {
    calls[i] = {kernel, &parameters[i]};
    grids[i] = {&calls[i], static_cast<std::uint32_t>(on[i].device())};
  }
  check_extents(shape);
  const auto coordinates = [](const extents& e) { return simt::coordinates{e.x, e.y, e.z}; };
  const simt::grid_shape each{.blocks = coordinates(shape.grid_extents()),
                              .threads = coordinates(shape.block_extents()),
                              .shared_bytes = shape.shared_bytes,
                              .cluster_blocks = shape.cluster_blocks};
  note_launch();
  try {
    simt::run_together(each, grids, [](void* raw) {
      const call& c = *static_cast<const call*>(raw);
      std::apply(c.kernel, *c.parameters);
    });
  } catch (const simt::execution_error& fault) {
    end_checked_run(fault.what());
    if (fault.kind() == simt::fault_kind::race) throw race_error(fault.what());
    throw hang_error(fault.kind() == simt::fault_kind::deadlock, fault.what());
  }
}

template <class... Parameters>
bool start(const stream& on, bool /*cooperative*/, void (*kernel)(Parameters...),
           const launch_shape& shape, const std::tuple<Parameters...>& parameters) {
  start_together({&on, 1}, kernel, shape, &parameters);
  return true;
}

}  // namespace detail
}  // namespace finesync::inline FINESYNC_ABI

#endif
