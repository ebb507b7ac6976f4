// The common part of the GPU tests of clusters, graphs and barriers.
#pragma once

#include "gpu_fixture.hpp"

#include <finesync/device/cell.cuh>
#include <finesync/device/cluster.cuh>
#include <finesync/host/buffer.cuh>
#include <finesync/host/launch.cuh>

#include <cstdint>
#include <string>
#include <vector>

namespace finesync::test {

using cell32 = cell<std::uint32_t>;
using cell64 = cell<std::uint64_t>;

inline buffer<std::uint32_t> zeroed_words(std::size_t count) {
  auto words = buffer<std::uint32_t>::zeroed(count);
  return words;
}

/// Each block writes its place. A template, so that all files share one kernel.
template <class Word>
__global__ void describe(Word* seen) {
  if (threadIdx.x != 0) return;
  seen[3 * blockIdx.x] = cluster_rank();
  seen[3 * blockIdx.x + 1] = cluster_blocks();
  seen[3 * blockIdx.x + 2] = cluster_index();
}

/// Skips a test if the GPU has no clusters.
class clusters_on_gpu : public on_gpu {
 protected:
  void SetUp() override {
    on_gpu::SetUp();
    if (!IsSkipped() && max_resident_blocks(describe<cell32>, 32, 0, 2) == 0)
      GTEST_SKIP() << "no clusters";
  }
};

/// The sizes that this GPU supports; 16 is beyond the guaranteed maximum.
inline std::vector<unsigned> cluster_sizes() {
  std::vector<unsigned> sizes{1, 2, 4, 8};
  if (max_resident_blocks(describe<cell32>, 32, 0, 16) != 0) sizes.push_back(16);
  return sizes;
}

template <class Launch>
std::string refusal_of(Launch launch) {
  try {
    launch();
    return {};
  } catch (const launch_error& problem) {
    return problem.what();
  }
}

}  // namespace finesync::test
