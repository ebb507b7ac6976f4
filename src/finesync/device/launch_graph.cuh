// Many kernels in a row, queued at once. Host side.
#pragma once

#include "finesync/device/launch.cuh"

#ifdef FINESYNC_HOST_EXECUTOR
#include <functional>
#include <vector>
#endif

namespace finesync {
inline namespace FINESYNC_ABI {

/// A chain of kernels, each beginning when the one before has ended and all that it wrote is
/// visible. On a GPU it is a CUDA graph: the device goes from one kernel to the next without the
/// host. Kernels of it do not wait between blocks, as with launch_independent(); arguments are
/// copied by add(). Not copyable. It is of the device of its stream, in which it is launched.
///
/// On the host executor, last_launch_counts() are those of the last kernel.
class launch_graph {
 public:
  explicit launch_graph(const stream& home = {}) : home_(home) {
#ifndef FINESYNC_HOST_EXECUTOR
    check_cuda(cudaGraphCreate(&graph_, 0));
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

  /// Appends a kernel.
  /// \throws launch_error when not even one block, or cluster, fits.
  template <class... Parameters, class... Arguments>
  void add(void (*kernel)(Parameters...), const launch_shape& shape, Arguments... arguments) {
    const device_guard here(home_.device());
    detail::check_fit(false, kernel, shape);
#ifdef FINESYNC_HOST_EXECUTOR
    kernels_.push_back([kernel, shape, parameters = std::tuple<Parameters...>(arguments...)] {
      detail::start(stream(), false, kernel, shape, parameters);
    });
#else
    std::tuple<Parameters...> parameters(arguments...);
    detail::with_addresses(parameters, [&](void** addresses) {
      append(reinterpret_cast<const void*>(kernel), shape, addresses);
    });
#endif
  }

  /// Queues all of them, in order with what else is queued in the stream. Any number of times; the
  /// first after an add() is slow, as it prepares the graph.
  void launch() {
#ifdef FINESYNC_HOST_EXECUTOR
    for (const auto& run : kernels_) run();
#else
    const device_guard here(home_.device());
    if (executable_ == nullptr) check_cuda(cudaGraphInstantiate(&executable_, graph_, 0));
    check_cuda(cudaGraphLaunch(executable_, home_.handle()));
#endif
  }

 private:
  stream home_;
#ifdef FINESYNC_HOST_EXECUTOR
  std::vector<std::function<void()>> kernels_;
#else
  void drop_executable() {  // one that is running is freed when it has ended
    if (executable_ != nullptr) cudaGraphExecDestroy(executable_);
    executable_ = nullptr;
  }

  void append(const void* function, const launch_shape& shape, void** addresses) {
    drop_executable();
    const detail::launch_request request(shape, false);
    cudaKernelNodeParams node{};
    node.func = const_cast<void*>(function);
    node.gridDim = request.config().gridDim;
    node.blockDim = request.config().blockDim;
    node.sharedMemBytes = static_cast<unsigned>(shape.shared_bytes);
    node.kernelParams = addresses;
    const cudaGraphNode_t before = last_;
    check_cuda(cudaGraphAddKernelNode(&last_, graph_, &before, before == nullptr ? 0 : 1, &node));
    for (unsigned i = 0; i < request.config().numAttrs; ++i) {
      const cudaLaunchAttribute& attribute = request.config().attrs[i];
      check_cuda(cudaGraphKernelNodeSetAttribute(last_, attribute.id, &attribute.val));
    }
  }

  cudaGraph_t graph_ = nullptr;
  cudaGraphExec_t executable_ = nullptr;
  cudaGraphNode_t last_ = nullptr;
#endif
};

}  // namespace FINESYNC_ABI
}  // namespace finesync
