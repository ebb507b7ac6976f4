#include "network.hpp"

#include <finesync/device/numbering.cuh>
#include <finesync/host/gpu.cuh>
#include <finesync/host/launch.cuh>

#include <algorithm>
#include <cstddef>

namespace finesync::maxflow {
namespace {

__global__ void begin(const std::uint64_t* capacities, std::size_t number, std::uint32_t nodes,
                      std::uint64_t* pairs, std::uint64_t* words) {
  assume_one_dimension();
  const std::size_t first = blockIdx.x * std::size_t{blockDim.x} + threadIdx.x;
  const std::size_t stride = gridDim.x * std::size_t{blockDim.x};
  for (std::size_t p = first; p < number; p += stride) pairs[p] = capacities[p];
  for (std::size_t u = first; u < nodes; u += stride) words[u] = node_word(nodes, 0);
}

}  // namespace

void network::reset() {
  constexpr unsigned threads = 256;
  const std::size_t most = std::max(pairs_.size(), words_.size());
  const auto blocks = std::min<std::size_t>((most + threads - 1) / threads,
                                            static_cast<std::size_t>(current_gpu().sms) * 8);
  launch_independent(begin, {.blocks = static_cast<unsigned>(blocks), .threads_per_block = threads},
                     capacities_.raw_pointer(), pairs_.size(), input_.arcs.vertices(),
                     pairs_.raw_pointer(), words_.raw_pointer());
}

}  // namespace finesync::maxflow
