// SPDX-License-Identifier: Apache-2.0
// The geometry of the GPUs that the executor models: how many threads and blocks are resident, and
// where. It contains no speeds.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace simt {

struct gpu_model {
  std::string name;  ///< as given to --gpu
  int sms;
  int max_threads_per_sm;
  int max_blocks_per_sm;
  int max_threads_per_block;
  std::size_t shared_bytes_per_sm;
  std::size_t shared_bytes_per_block;
  std::size_t shared_bytes_reserved;  ///< per block, by the system (since compute capability 8.0)
  std::size_t l2_bytes;
  std::string compute_capability;

  /// Resident blocks of this shape per SM; 0 if the shape is impossible. Registers are not
  /// modelled: a compiler for the host does not know them.
  int blocks_per_sm(int threads_per_block, std::size_t shared_bytes) const;

  /// Maximum number of blocks per cluster: 1 without clusters, at most 16, and no more than there
  /// are SMs (the guide, "Thread Block Clusters").
  int max_cluster_blocks() const;
};

/// All models, `small` (a few SMs, the default) first.
const std::vector<gpu_model>& gpu_models();

/// \throws std::invalid_argument naming the known models.
const gpu_model& find_gpu_model(std::string_view name);

}  // namespace simt
