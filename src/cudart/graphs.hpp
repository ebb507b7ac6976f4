// Graphs: work that a program records, to have it done later. A launch of a graph does its nodes
// one after the other, as operations of one stream.
#pragma once

#include <cudart/launches.hpp>

#include <deque>
#include <memory>
#include <vector>

namespace cudart {

/// Has it done in the stream; or records it, if the stream is captured.
cudaError_t perform(cudaStream_t stream, work what);

}  // namespace cudart

struct CUgraphNode_st {
  cudart::work perform;
  std::shared_ptr<cudart::launch_shape> shape;  ///< of a kernel; null: none
  std::vector<const CUgraphNode_st*> after{};
};

struct CUgraph_st {
  std::deque<CUgraphNode_st> nodes;
};

using cudaGraph_t = CUgraph_st*;
using cudaGraphNode_t = CUgraphNode_st*;

namespace cudart {

/// The node `to[i]` comes after `from[i]`; with a programmatic edge it may overlap it.
/// \param edges null: none is programmatic.
cudaError_t add_dependencies(const cudaGraphNode_t* from, const cudaGraphNode_t* to,
                             const cudaGraphEdgeData* edges, std::size_t count);

}  // namespace cudart
