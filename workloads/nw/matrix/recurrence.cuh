// The recurrence: a cell's score from its neighbours.
#pragma once

#include <workloads/nw/matrix/task.cuh>

#include <cstdint>

namespace finesync::nw {

/// \param similarity similarity of the cell's two letters.
__device__ __forceinline__ std::int32_t score_of(std::int32_t north_west, std::int32_t north,
                                                 std::int32_t west, std::int32_t similarity,
                                                 std::int32_t gap) {
  const std::int32_t pair = north_west + similarity;
  const std::int32_t alone = (north > west ? north : west) - gap;
  return pair > alone ? pair : alone;
}

/// Similarity of the letters of at(i, j); i and j are at least 1.
__device__ __forceinline__ std::int32_t similarity_at(const task& what, unsigned i, unsigned j) {
  return what.similarities[what.down[i - 1] * task::letters + what.across[j - 1]];
}

}  // namespace finesync::nw
