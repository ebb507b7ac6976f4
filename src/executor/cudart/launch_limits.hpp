// SPDX-License-Identifier: Apache-2.0
// Launches that CUDA refuses for their shape alone.
#pragma once

#include <cudart/launches.hpp>
#include <ptx/module.hpp>
#include <simt/coordinates.hpp>

#include <cstddef>
#include <string>

namespace cudart {

struct refusal {
  cudaError_t error = cudaSuccess;  ///< the launch is not refused
  std::string why{};
};

/// \param dynamic_bytes that a block may have.
refusal refusal_of(const launch_shape& shape, std::size_t dynamic_bytes);

/// The same of its clusters. \param beyond_portable whether the kernel may have more than 8 blocks
/// in one.
refusal refusal_of_cluster(const launch_shape& shape, const ptx::kernel& kernel,
                           bool beyond_portable);

/// The blocks of a cluster: as the launch says, or else the kernel.
simt::coordinates cluster_of(const launch_shape& shape, const ptx::kernel& kernel);

}  // namespace cudart
