// SPDX-License-Identifier: Apache-2.0
// A sequence of kernels that the device repeats until one of them says that it is enough. Host
// side.
#pragma once

#include "finesync/device/repetition.cuh"
#include "finesync/host/buffer.cuh"
#include "finesync/host/launch_graph.cuh"

#include <cstdint>

namespace finesync::inline FINESYNC_ABI {

/// A chain of kernels that one launch runs again and again, at least once, until a kernel has
/// called repetition().end() in a pass. On a GPU it is the body of a WHILE node, so the host has no
/// part in it. No watchdog ends a chain that never calls it.
class repeated_graph : public launch_graph {
 public:
  explicit repeated_graph(const stream& on = {}) : launch_graph(on) {
#ifndef FINESYNC_HOST_EXECUTOR
    const device_guard here(on.device());
    constexpr unsigned again = 1;
    check_cuda(
        cudaGraphConditionalHandleCreate(&handle_, graph_, again, cudaGraphCondAssignDefault));
    cudaGraphNodeParams loop{};
    loop.type = cudaGraphNodeTypeConditional;
    loop.conditional.handle = handle_;
    loop.conditional.type = cudaGraphCondTypeWhile;
    loop.conditional.size = 1;
    cudaGraphNode_t node = nullptr;
#if CUDART_VERSION >= 13000
    check_cuda(cudaGraphAddNode(&node, graph_, nullptr, nullptr, 0, &loop));
#else
    check_cuda(cudaGraphAddNode(&node, graph_, nullptr, 0, &loop));
#endif
    chain_ = loop.conditional.phGraph_out[0];
#endif
  }

  /// For kernels that are appended.
  repetition_ref repetition() const {
#ifdef FINESYNC_HOST_EXECUTOR
    return repetition_ref(ended_.device_data());
#else
    return repetition_ref(handle_);
#endif
  }

#ifdef FINESYNC_HOST_EXECUTOR
  void launch() {
    ended_.fill_bytes(0);
    do {
      launch_graph::launch();
    } while (ended_.to_host()[0] == 0);
  }

 private:
  buffer<std::uint32_t> ended_{1};
#else
 private:
  cudaGraphConditionalHandle handle_{};
#endif
};

}  // namespace finesync::inline FINESYNC_ABI
