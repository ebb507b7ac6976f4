// SPDX-License-Identifier: Apache-2.0
#include <cudart/device.hpp>
#include <cudart/graphs.hpp>
#include <cudart/host_accesses.hpp>
#include <cudart/per_thread.hpp>
#include <cudart/streams.hpp>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

/// An executable graph: its nodes in an order that its dependencies allow, and the branch of each.
/// Branch 0 is the stream that it is launched in.
struct CUgraphExec_st {
  struct step {
    const CUgraphNode_st* node;
    std::size_t branch;
  };
  std::vector<step> steps;
  std::vector<cudaStream_t> branches{};  ///< from branch 1
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

/// A node goes on with the branch of a node that it depends on and that is the last one there so
/// far; if there is none, it begins a branch.
CUgraphExec_st* in_branches(const std::vector<const CUgraphNode_st*>& nodes) {
  auto* const all = new CUgraphExec_st;
  std::vector<const CUgraphNode_st*> last;  // of each branch
  for (const CUgraphNode_st* node : nodes) {
    const auto goes_on =
        std::find_first_of(last.begin(), last.end(), node->after.begin(), node->after.end());
    const auto branch = static_cast<std::size_t>(goes_on - last.begin());
    if (goes_on == last.end()) last.emplace_back();
    last[branch] = node;
    all->steps.push_back({node, branch});
  }
  while (all->branches.size() + 1 < last.size()) all->branches.push_back(new_branch());
  return all;
}

/// Does the steps. Each comes after what the launch comes after, and what its node depends on.
cudaError_t launch(const CUgraphExec_st& graph, cudaStream_t stream) {
  std::map<const CUgraphNode_st*, stream_clock> done;
  const auto order = [](const auto& change) { on_device([&] { change(overlaps().order); }); };
  stream_clock before;
  order([&](stream_order& all) { before = all.recorded(number_of(stream)); });
  for (const auto& [node, branch] : graph.steps) {
    const cudaStream_t in = branch == 0 ? stream : graph.branches[branch - 1];
    order([&](stream_order& all) {
      all.wait(number_of(in), before);
      for (const CUgraphNode_st* each : node->after) all.wait(number_of(in), done[each]);
    });
    const device_operation as_operation;
    if (const cudaError_t error = node->perform(in)) return error;
    order([&](stream_order& all) { done[node] = all.recorded(number_of(in)); });
  }
  order([&](stream_order& all) {
    for (const auto& [node, clock] : done) all.wait(number_of(stream), clock);
  });
  return state_of_device();
}

}  // namespace

CUgraphNode_st& add_node(CUgraph_st& graph, const cudaGraphNode_t* after, std::size_t count,
                         work what) {
  CUgraphNode_st& added = graph.nodes.emplace_back();
  added.perform = std::move(what);
  added.after.assign(after, after + count);
  return added;
}

cudaError_t perform(cudaStream_t named, work what) {
  const cudaStream_t stream = meant(named);
  const capture_point now = captured_in(stream);
  if (now.graph == nullptr) {
    const device_operation as_operation;
    return what(stream);
  }
  CUgraphNode_st& added = now.graph->nodes.emplace_back();
  added.perform = std::move(what);
  added.after = now.after;
  recorded(stream, &added);
  return cudaSuccess;
}

}  // namespace cudart

extern "C" {

cudaError_t cudaGraphAddDependencies_v2(cudaGraph_t, const cudaGraphNode_t* from,
                                        const cudaGraphNode_t* to, const cudaGraphEdgeData* edges,
                                        std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) {
    to[i]->after.push_back(from[i]);
    const bool is_programmatic =
        edges != nullptr && edges[i].type == cudaGraphDependencyTypeProgrammatic;
    if (is_programmatic && to[i]->shape != nullptr) to[i]->shape->overlaps = true;
  }
  return cudaSuccess;
}
cudaError_t cudaGraphCreate(cudaGraph_t* graph, unsigned) {
  *graph = new CUgraph_st;
  return cudaSuccess;
}
cudaError_t cudaGraphDestroy(cudaGraph_t) {
  return cudaSuccess;  // executable graphs still use its nodes
}
cudaError_t cudaGraphAddEmptyNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                  const cudaGraphNode_t* after, std::size_t count) {
  *node = &cudart::add_node(*graph, after, count, [](cudaStream_t) { return cudaSuccess; });
  return cudaSuccess;
}
cudaError_t cudaGraphAddHostNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                 const cudaGraphNode_t* after, std::size_t count,
                                 const cudaHostNodeParams* what) {
  *node = &cudart::add_node(*graph, after, count, cudart::call_of(what->fn, what->userData));
  return cudaSuccess;
}
cudaError_t cudaGraphAddKernelNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                   const cudaGraphNode_t* after, std::size_t count,
                                   const cudaKernelNodeParams* what) {
  CUgraphNode_st& added = cudart::add_node(*graph, after, count);
  added.shape = std::make_shared<cudart::launch_shape>(
      cudart::launch_shape{what->gridDim, what->blockDim, what->sharedMemBytes});
  added.perform =
      cudart::launch_of(what->func, added.shape, what->kernelParams, __builtin_return_address(0));
  *node = &added;
  return cudaSuccess;
}
cudaError_t cudaGraphAddChildGraphNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                       const cudaGraphNode_t* after, std::size_t count,
                                       cudaGraph_t child) {
  const auto nodes = cudart::in_order(*child);
  if (nodes.size() != child->nodes.size()) return cudart::noted(cudaErrorInvalidValue);
  // Its nodes as they are now: what is added to the child later is no part of this graph.
  const std::shared_ptr<const CUgraphExec_st> steps(cudart::in_branches(nodes));
  CUgraphNode_st& added = cudart::add_node(
      *graph, after, count, [=](cudaStream_t in) { return cudart::launch(*steps, in); });
  added.child = child;
  *node = &added;
  return cudaSuccess;
}
cudaError_t cudaGraphChildGraphNodeGetGraph(cudaGraphNode_t node, cudaGraph_t* child) {
  *child = node->child;
  return *child == nullptr ? cudart::noted(cudaErrorInvalidValue) : cudaSuccess;
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
  const auto nodes = cudart::in_order(*graph);
  if (nodes.size() != graph->nodes.size()) return cudart::noted(cudaErrorInvalidValue);
  *executable = cudart::in_branches(nodes);
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
  return cudart::perform(stream, [=](cudaStream_t in) { return cudart::launch(*executable, in); });
}
cudaError_t cudaGraphExecDestroy(cudaGraphExec_t executable) {
  std::for_each(executable->branches.begin(), executable->branches.end(), cudart::forget_branch);
  delete executable;
  return cudaSuccess;
}

}  // extern "C"
