// SPDX-License-Identifier: Apache-2.0
#include <cudart/device.hpp>
#include <cudart/launch_limits.hpp>

#include <fmt/format.h>

#include <algorithm>

namespace cudart {

refusal refusal_of(const launch_shape& shape, std::size_t dynamic_bytes) {
  const auto& [blocks, threads] = std::pair(shape.blocks, shape.threads);
  struct limit {
    double value;  // of three factors of 32 bits
    double most;
    const char* of;
    cudaError_t error = cudaErrorInvalidConfiguration;
  };
  const double most_threads = settings_of_run().executor.gpu.max_threads_per_block;
  const limit limits[] = {
      {1.0 * threads.x * threads.y * threads.z, most_threads, "threads per block"},
      {1.0 * threads.z, 64, "threads per block in z"},
      {1.0 * blocks.x, INT32_MAX, "blocks in x"},
      {1.0 * blocks.y, 65535, "blocks in y"},
      {1.0 * blocks.z, 65535, "blocks in z"},
      {static_cast<double>(shape.shared_bytes), static_cast<double>(dynamic_bytes),
       "bytes of dynamic shared memory per block", cudaErrorInvalidValue}};
  for (const auto& [value, most, of, error] : limits)
    if (value > most) return {error, fmt::format("{:.0f} {}, at most {:.0f}", value, of, most)};
  if (limits[0].value * blocks.x * blocks.y * blocks.z == 0)
    return {cudaErrorInvalidConfiguration, "a grid without a thread"};
  return {};
}

simt::coordinates cluster_of(const launch_shape& shape, const ptx::kernel& kernel) {
  const auto& declared = kernel.cluster_blocks;
  if (shape.cluster.x + shape.cluster.y + shape.cluster.z > 0)
    return {shape.cluster.x, shape.cluster.y, shape.cluster.z};
  return {std::max(declared[0], 1u), std::max(declared[1], 1u), std::max(declared[2], 1u)};
}

refusal refusal_of_cluster(const launch_shape& shape, const ptx::kernel& kernel,
                           bool beyond_portable) {
  const simt::coordinates cluster = cluster_of(shape, kernel);
  const auto text = [](const auto& x, const auto& y, const auto& z) {
    return fmt::format("{} x {} x {}", x, y, z);
  };
  const std::string blocks = text(cluster.x, cluster.y, cluster.z);
  const auto refuse = [&](const std::string& why) {
    return refusal{cudaErrorInvalidClusterSize,
                   fmt::format("clusters of {} blocks {}", blocks, why)};
  };
  const auto& declared = kernel.cluster_blocks;
  if (declared[0] != 0 && blocks != text(declared[0], declared[1], declared[2]))
    return refuse("where the kernel declares " + text(declared[0], declared[1], declared[2]));
  constexpr double most = 16;  // on any GPU
  const double all = 1.0 * cluster.x * cluster.y * cluster.z;
  if (all == 0 || all > most) return refuse("have none, or more than any GPU allows");
  constexpr double most_portable = 8;
  if (all > most_portable && !beyond_portable)
    return refuse("are not portable, and cudaFuncSetAttribute() does not allow that");
  const simt::coordinates grid{shape.blocks.x, shape.blocks.y, shape.blocks.z};
  const simt::coordinates left = simt::remainder(grid, cluster);
  if (left.x + left.y + left.z == 0) return {};
  return refuse(fmt::format("do not divide a grid of {} blocks", text(grid.x, grid.y, grid.z)));
}

}  // namespace cudart
