// The geometry of the GPUs that the executor imitates: how many threads and blocks live at once,
// and where. Nothing here is a speed.
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

  /// Blocks of this shape that one SM holds at once; 0 when the shape is impossible. Registers are
  /// not modelled: a compiler for the host knows nothing of them.
  int blocks_per_sm(int threads_per_block, std::size_t shared_bytes) const;

  /// Blocks that a cluster may have: 1 where there are no clusters, 16 at most, and no more than
  /// there are SMs (the guide, "Thread Block Clusters").
  int max_cluster_blocks() const;
};

/// All models, `small` (a few SMs, the default) first.
const std::vector<gpu_model>& gpu_models();

/// \throws std::invalid_argument naming the known models.
const gpu_model& find_gpu_model(std::string_view name);

}  // namespace simt
