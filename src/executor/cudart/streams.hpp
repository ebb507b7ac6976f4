// SPDX-License-Identifier: Apache-2.0
// Streams as programs name them.
#pragma once

#include <cudart/abi.hpp>
#include <cudart/overlaps.hpp>

#include <cstdint>
#include <vector>

struct CUgraph_st;
struct CUgraphNode_st;

namespace cudart {

/// The device's. On its OS thread.
overlap_detector& overlaps();

/// Its number in the order of operations; the default streams are one.
std::uint32_t number_of(cudaStream_t stream);

/// A graph that records, and the nodes that the next one comes after.
struct capture_point {
  CUgraph_st* graph = nullptr;  ///< null: none records
  std::vector<const CUgraphNode_st*> after{};
};

/// What records what the stream is asked for. The default stream is never captured.
capture_point captured_in(cudaStream_t stream);
/// The stream is captured, and its next node comes after this one.
void recorded(cudaStream_t stream, const CUgraphNode_st* node);

/// A stream for a branch of a graph.
cudaStream_t new_branch();
void forget_branch(cudaStream_t branch);

}  // namespace cudart
