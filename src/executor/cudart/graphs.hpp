// SPDX-License-Identifier: Apache-2.0
// Graphs: work that a program records, to have it done later. A launch of a graph does its nodes
// one after the other. Nodes that their dependencies do not order are operations of several
// streams, so that their races are found.
#pragma once

#include <cudart/launches.hpp>

#include <deque>
#include <memory>
#include <vector>

struct CUgraph_st;
struct CUgraphNode_st;

namespace cudart {

/// Has it done in the stream; or records it, if the stream is captured: after what the stream has
/// recorded, and after the events that it waits for.
cudaError_t perform(cudaStream_t stream, work what);

/// Adds a node that comes after `count` others.
CUgraphNode_st& add_node(CUgraph_st& graph, CUgraphNode_st* const* after, std::size_t count,
                         work what = nullptr);

/// A function of the host.
work call_of(void (*function)(void*), void* data);

}  // namespace cudart

struct CUgraphNode_st {
  cudart::work perform;
  std::shared_ptr<cudart::launch_shape> shape;  ///< of a kernel; null: none
  std::vector<const CUgraphNode_st*> after{};
  CUgraph_st* child = nullptr;  ///< of a child graph; null: none
};

struct CUgraph_st {
  std::deque<CUgraphNode_st> nodes;
};

using cudaGraph_t = CUgraph_st*;
using cudaGraphNode_t = CUgraphNode_st*;

/// The node `to[i]` comes after `from[i]`; with a programmatic edge it may overlap it.
/// \param edges null: none is programmatic.
extern "C" cudaError_t cudaGraphAddDependencies_v2(cudaGraph_t, const cudaGraphNode_t* from,
                                                   const cudaGraphNode_t* to,
                                                   const cudaGraphEdgeData* edges,
                                                   std::size_t count);
