// SPDX-License-Identifier: Apache-2.0
// A sequence of kernels, queued in one call. Host side.
#pragma once

#include "finesync/host/launch.cuh"

#ifdef FINESYNC_HOST_EXECUTOR
#include <cstddef>
#include <cstring>
#include <memory>
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
    for (const kernel_copy& each : kernels_) each.run();
#else
    const device_guard here(stream_.device());
    if (executable_ == nullptr) check_cuda(cudaGraphInstantiate(&executable_, graph_, 0));
    check_cuda(cudaGraphLaunch(executable_, stream_.handle()));
#endif
  }

  /// Implements launch_independent() and launch_cooperative().
  /// \throws launch_error for kernel_order::dependent on a GPU, or in a build, without it.
  void append(bool cooperative, const detail::bound_kernel& kernel, const launch_shape& shape) {
    const device_guard here(stream_.device());
    detail::check_fit(cooperative, kernel.function, shape);
#ifdef FINESYNC_HOST_EXECUTOR
    kernels_.emplace_back(kernel, shape);
#else
    append_node(cooperative, kernel, shape);
#endif
  }

 private:
  stream stream_;
  [[maybe_unused]] kernel_order order_;  // the executor runs kernels one after the other
#ifdef FINESYNC_HOST_EXECUTOR
  /// With its parameters.
  class kernel_copy {
   public:
    kernel_copy(const detail::bound_kernel& kernel, const launch_shape& shape)
        : bytes_(new std::byte[kernel.bytes]), kernel_(kernel), shape_(shape) {
      std::memcpy(bytes_.get(), kernel.call, kernel.bytes);
      kernel_.call = bytes_.get();
    }
    void run() const {
      const stream standard;
      detail::run_grids({&standard, 1}, {&kernel_, 1}, shape_);
    }

   private:
    std::unique_ptr<std::byte[]> bytes_;
    detail::bound_kernel kernel_;
    launch_shape shape_;
  };
  std::vector<kernel_copy> kernels_;
#else
  friend class repeated_graph;

  void drop_executable() {  // a running one is freed when it ends
    if (executable_ != nullptr) cudaGraphExecDestroy(executable_);
    executable_ = nullptr;
  }

  void append_node(bool cooperative, const detail::bound_kernel& kernel,
                   const launch_shape& shape) {
    drop_executable();
    const detail::launch_request request(shape, cooperative);
    cudaKernelNodeParams node{};
    node.func = const_cast<void*>(kernel.function);
    node.gridDim = request.config().gridDim;
    node.blockDim = request.config().blockDim;
    node.sharedMemBytes = static_cast<unsigned>(shape.shared_bytes);
    node.kernelParams = kernel.addresses;
    const cudaGraphNode_t before = last_;
    check_cuda(cudaGraphAddKernelNode(&last_, chain_, nullptr, 0, &node));
    if (before != nullptr) add_edge(before, kernel.function);
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

namespace detail {

inline void enqueue(launch_graph& in, bool cooperative, const bound_kernel& kernel,
                    const launch_shape& shape) {
  in.append(cooperative, kernel, shape);
}

}  // namespace detail

/// Appends a kernel whose blocks wait only for blocks of their cluster. Arguments are copied.
/// \throws launch_error if not even one block or cluster fits.
template <class... Parameters, class... Arguments>
void launch_independent(launch_graph& in, void (*kernel)(Parameters...), const launch_shape& shape,
                        Arguments... arguments) {
  detail::launch(in, false, kernel, shape, arguments...);
}

/// Appends a kernel whose blocks may wait for each other. Arguments are copied.
/// \throws launch_error, with the number of blocks that fit, if the grid cannot be co-resident.
template <class... Parameters, class... Arguments>
void launch_cooperative(launch_graph& in, void (*kernel)(Parameters...), const launch_shape& shape,
                        Arguments... arguments) {
  detail::launch(in, true, kernel, shape, arguments...);
}

}  // namespace finesync::inline FINESYNC_ABI
