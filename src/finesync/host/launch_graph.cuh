// SPDX-License-Identifier: Apache-2.0
// A sequence of kernels, queued in one call. Host side.
#pragma once

#include "finesync/host/launch.cuh"

#include <tuple>

#ifdef FINESYNC_HOST_EXECUTOR
#include <functional>
#include <vector>
#endif

namespace finesync::inline FINESYNC_ABI {

/// When a kernel of a chain begins.
enum class kernel_order {
  after_end,  ///< after the previous one has ended, with all its writes visible
  dependent,  ///< earlier, as device/dependent_launch.cuh describes
};

/// A chain of kernels. On a GPU it is a CUDA graph: the device goes from one kernel to the next
/// without the host.
/// launch_independent() and launch_cooperative() append to it, as they queue in a stream. Not
/// copyable. It belongs to the device of its stream and is launched there.
///
/// On the host executor, last_launch_counts() are those of the last kernel.
class launch_graph {
 public:
  explicit launch_graph(const stream& on = {}, kernel_order order = kernel_order::after_end)
      : stream_(on), order_(order) {
#ifndef FINESYNC_HOST_EXECUTOR
    check_cuda(cudaGraphCreate(&graph_, 0));
    chain_ = graph_;
#endif
  }
#ifndef FINESYNC_HOST_EXECUTOR
  ~launch_graph() {
    drop_executable();
    cudaGraphDestroy(graph_);
  }
#endif
  launch_graph(const launch_graph&) = delete;
  launch_graph& operator=(const launch_graph&) = delete;

  /// Queues all kernels in the stream's order, any number of times. The first call after an append
  /// is slow, as it prepares the graph.
  void launch() {
#ifdef FINESYNC_HOST_EXECUTOR
    for (const auto& run : kernels_) run();
#else
    const device_guard here(stream_.device());
    if (executable_ == nullptr) check_cuda(cudaGraphInstantiate(&executable_, graph_, 0));
    check_cuda(cudaGraphLaunch(executable_, stream_.handle()));
#endif
  }

  /// Implements launch_independent() and launch_cooperative().
  /// \throws launch_error for kernel_order::dependent on a GPU, or in a build, without it.
  template <class... Parameters>
  void append(bool cooperative, void (*kernel)(Parameters...), const launch_shape& shape,
              std::tuple<Parameters...> parameters) {
    const device_guard here(stream_.device());
    detail::check_fit(cooperative, kernel, shape);
#ifdef FINESYNC_HOST_EXECUTOR
    kernels_.push_back([=] { detail::start(stream(), cooperative, kernel, shape, parameters); });
#else
    detail::with_addresses(parameters, [&](void** addresses) {
      append_node(cooperative, reinterpret_cast<const void*>(kernel), shape, addresses);
    });
#endif
  }

 private:
  stream stream_;
  [[maybe_unused]] kernel_order order_;  // the executor runs kernels one after the other
#ifdef FINESYNC_HOST_EXECUTOR
  std::vector<std::function<void()>> kernels_;
#else
  friend class repeated_graph;

  void drop_executable() {  // a running one is freed when it ends
    if (executable_ != nullptr) cudaGraphExecDestroy(executable_);
    executable_ = nullptr;
  }

  void append_node(bool cooperative, const void* function, const launch_shape& shape,
                   void** addresses) {
    drop_executable();
    const detail::launch_request request(shape, cooperative);
    cudaKernelNodeParams node{};
    node.func = const_cast<void*>(function);
    node.gridDim = request.config().gridDim;
    node.blockDim = request.config().blockDim;
    node.sharedMemBytes = static_cast<unsigned>(shape.shared_bytes);
    node.kernelParams = addresses;
    const cudaGraphNode_t before = last_;
    check_cuda(cudaGraphAddKernelNode(&last_, chain_, nullptr, 0, &node));
    if (before != nullptr) add_edge(before, function);
    for (unsigned i = 0; i < request.config().numAttrs; ++i) {
      const cudaLaunchAttribute& attribute = request.config().attrs[i];
      check_cuda(cudaGraphKernelNodeSetAttribute(last_, attribute.id, &attribute.val));
    }
  }

  /// From `before` to the last node, a kernel of this function.
  void add_edge(cudaGraphNode_t before, const void* function) {
    cudaGraphEdgeData edge{};
    if (order_ == kernel_order::dependent) {
      detail::check_dependent_launch(function);
      edge.from_port = cudaGraphKernelNodePortProgrammatic;
      edge.type = cudaGraphDependencyTypeProgrammatic;
    }
#if CUDART_VERSION >= 13000
    check_cuda(cudaGraphAddDependencies(chain_, &before, &last_, &edge, 1));
#else
    check_cuda(cudaGraphAddDependencies_v2(chain_, &before, &last_, &edge, 1));
#endif
  }

  cudaGraph_t graph_ = nullptr;
  cudaGraph_t chain_ = nullptr;  ///< where kernels are appended: the graph, or a part of it
  cudaGraphExec_t executable_ = nullptr;
  cudaGraphNode_t last_ = nullptr;
#endif
};

/// Appends a kernel whose blocks wait only for blocks of their cluster. Arguments are copied.
/// \throws launch_error if not even one block or cluster fits.
template <class... Parameters, class... Arguments>
void launch_independent(launch_graph& in, void (*kernel)(Parameters...), const launch_shape& shape,
                        Arguments... arguments) {
  detail::as_parameters(
      kernel, [&](const auto& parameters) { in.append(false, kernel, shape, parameters); },
      arguments...);
}

/// Appends a kernel whose blocks may wait for each other. Arguments are copied.
/// \throws launch_error, with the number of blocks that fit, if the grid cannot be co-resident.
template <class... Parameters, class... Arguments>
void launch_cooperative(launch_graph& in, void (*kernel)(Parameters...), const launch_shape& shape,
                        Arguments... arguments) {
  detail::as_parameters(
      kernel, [&](const auto& parameters) { in.append(true, kernel, shape, parameters); },
      arguments...);
}

}  // namespace finesync::inline FINESYNC_ABI
