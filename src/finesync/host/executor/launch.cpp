// SPDX-License-Identifier: Apache-2.0
#include <finesync/host/executor/checked_run.hpp>
#include <finesync/host/executor/launch.cuh>

#include <cstdint>

namespace finesync::inline FINESYNC_ABI {
namespace detail {

namespace {

/// Reports name the kernel's call into these headers, not a line in them.
[[maybe_unused]] const bool reports_step_over_vocabulary =
    simt::step_over_sources("finesync/device/") && simt::step_over_sources("simt/cuda_atomics.hpp");

simt::coordinates coordinates_of(const extents& e) {
  return {e.x, e.y, e.z};
}

}  // namespace

void run_grids(std::span<const stream> on, std::span<const bound_kernel> kernels,
               const launch_shape& shape) {
  std::vector<simt::grid_on_gpu> grids(on.size());
  for (std::size_t i = 0; i < on.size(); ++i) {
    grids[i] = {kernels[i].call, static_cast<std::uint32_t>(on[i].device())};
  }
  check_extents(shape);
  const simt::grid_shape each{.blocks = coordinates_of(shape.grid_extents()),
                              .threads = coordinates_of(shape.block_extents()),
                              .shared_bytes = shape.shared_bytes,
                              .cluster = {shape.cluster_blocks, 1, 1}};
  note_launch();
  try {
    simt::run_together(each, grids, kernels.front().run);
  } catch (const simt::execution_error& fault) {
    end_checked_run(fault.what());
    if (fault.kind() == simt::fault_kind::race) throw race_error(fault.what());
    throw hang_error(fault.kind() == simt::fault_kind::deadlock, fault.what());
  }
}

}  // namespace detail
}  // namespace finesync::inline FINESYNC_ABI
