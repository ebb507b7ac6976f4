#include <cudart/device.hpp>
#include <cudart/graphs.hpp>
#include <cudart/host_accesses.hpp>
#include <cudart/streams.hpp>

#include <algorithm>
#include <set>
#include <utility>

/// An executable graph: its nodes in an order that its dependencies allow.
struct CUgraphExec_st {
  std::vector<const CUgraphNode_st*> nodes;
};
using cudaGraphExec_t = CUgraphExec_st*;

namespace cudart {

namespace {

/// Each node after those that it depends on, and otherwise in the order in which they were added.
std::vector<const CUgraphNode_st*> in_order(const CUgraph_st& graph) {
  std::vector<const CUgraphNode_st*> ordered;
  std::set<const CUgraphNode_st*> done;
  while (ordered.size() < graph.nodes.size()) {
    const std::size_t before = ordered.size();
    for (const CUgraphNode_st& each : graph.nodes) {
      const bool is_ready =
          !done.contains(&each) &&
          std::all_of(each.after.begin(), each.after.end(),
                      [&](const CUgraphNode_st* one) { return done.contains(one); });
      if (!is_ready) continue;
      ordered.push_back(&each);
      done.insert(&each);
    }
    if (ordered.size() == before) return {};  // a circle
  }
  return ordered;
}

CUgraphNode_st& add(CUgraph_st& graph, const cudaGraphNode_t* after, std::size_t count) {
  CUgraphNode_st& added = graph.nodes.emplace_back();
  added.after.assign(after, after + count);
  return added;
}

}  // namespace

cudaError_t perform(cudaStream_t stream, work what) {
  CUgraph_st* const recording = graph_captured_in(stream);
  if (recording == nullptr) {
    const device_operation as_operation;
    return what(stream);
  }
  recording->nodes.emplace_back().perform = std::move(what);
  return cudaSuccess;
}

cudaError_t add_dependencies(const cudaGraphNode_t* from, const cudaGraphNode_t* to,
                             const cudaGraphEdgeData* edges, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) {
    to[i]->after.push_back(from[i]);
    const bool is_programmatic =
        edges != nullptr && edges[i].type == cudaGraphDependencyTypeProgrammatic;
    if (is_programmatic && to[i]->shape != nullptr) to[i]->shape->overlaps = true;
  }
  return cudaSuccess;
}

}  // namespace cudart

extern "C" {

cudaError_t cudaGraphCreate(cudaGraph_t* graph, unsigned) {
  *graph = new CUgraph_st;
  return cudaSuccess;
}
cudaError_t cudaGraphDestroy(cudaGraph_t) {
  return cudaSuccess;  // executable graphs still use its nodes
}
cudaError_t cudaGraphAddEmptyNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                  const cudaGraphNode_t* after, std::size_t count) {
  *node = &cudart::add(*graph, after, count);
  (*node)->perform = [](cudaStream_t) { return cudaSuccess; };
  return cudaSuccess;
}
cudaError_t cudaGraphAddKernelNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                   const cudaGraphNode_t* after, std::size_t count,
                                   const cudaKernelNodeParams* what) {
  CUgraphNode_st& added = cudart::add(*graph, after, count);
  added.shape = std::make_shared<cudart::launch_shape>(
      cudart::launch_shape{what->gridDim, what->blockDim, what->sharedMemBytes});
  added.perform =
      cudart::launch_of(what->func, added.shape, what->kernelParams, __builtin_return_address(0));
  *node = &added;
  return cudaSuccess;
}
cudaError_t cudaGraphKernelNodeSetAttribute(cudaGraphNode_t node, int attribute,
                                            const cudaLaunchAttributeValue* value) {
  if (node->shape == nullptr) return cudart::noted(cudaErrorInvalidValue);
  cudart::set_attribute(*node->shape, attribute, *value);
  return cudaSuccess;
}
cudaError_t cudaGraphGetNodes(cudaGraph_t graph, cudaGraphNode_t* nodes, std::size_t* count) {
  for (std::size_t i = 0; nodes != nullptr && i < std::min(*count, graph->nodes.size()); ++i)
    nodes[i] = &graph->nodes[i];
  *count = graph->nodes.size();
  return cudaSuccess;
}
cudaError_t cudaGraphInstantiate(cudaGraphExec_t* executable, cudaGraph_t graph,
                                 unsigned long long) {
  auto nodes = cudart::in_order(*graph);
  if (nodes.size() != graph->nodes.size()) return cudart::noted(cudaErrorInvalidValue);
  *executable = new CUgraphExec_st{std::move(nodes)};
  return cudaSuccess;
}
cudaError_t cudaGraphInstantiateWithFlags(cudaGraphExec_t* executable, cudaGraph_t graph,
                                          unsigned long long flags) {
  return cudaGraphInstantiate(executable, graph, flags);
}
cudaError_t cudaGraphUpload(cudaGraphExec_t, cudaStream_t) {
  return cudaSuccess;
}
cudaError_t cudaGraphLaunch(cudaGraphExec_t executable, cudaStream_t stream) {
  for (const CUgraphNode_st* each : executable->nodes)
    if (const cudaError_t error = cudart::perform(stream, each->perform)) return error;
  return cudart::state_of_device();
}
cudaError_t cudaGraphExecDestroy(cudaGraphExec_t executable) {
  delete executable;
  return cudaSuccess;
}

}  // extern "C"
