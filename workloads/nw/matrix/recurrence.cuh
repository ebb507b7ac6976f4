// What a cell becomes of its neighbours.
#pragma once

#include <workloads/nw/matrix/task.cuh>

#include <cstdint>

namespace finesync::nw {

/// \param similarity of the two letters whose cell it is.
__device__ __forceinline__ std::int32_t score_of(std::int32_t north_west, std::int32_t north,
                                                 std::int32_t west, std::int32_t similarity,
                                                 std::int32_t gap) {
  const std::int32_t pair = north_west + similarity;
  const std::int32_t alone = (north > west ? north : west) - gap;
  return pair > alone ? pair : alone;
}

/// That of the letters of at(i, j), both from 1 on.
__device__ __forceinline__ std::int32_t similarity_at(const task& what, unsigned i, unsigned j) {
  return what.similarities[what.down[i - 1] * task::letters + what.across[j - 1]];
}

}  // namespace finesync::nw
