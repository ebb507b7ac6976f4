// SPDX-License-Identifier: Apache-2.0
// All that differs between CUDA 12 and 13, and so between the libraries.
#include <cudart/device.hpp>
#include <cudart/graphs.hpp>

namespace {

/// Before the program begins: it may clear its environment.
[[gnu::constructor]] void read_settings() {
  cudart::settings_of_run();
}

}  // namespace

extern "C" {

cudaError_t cudaRuntimeGetVersion(int* version) {
  *version = FINESYNC_CUDART_VERSION * 1000;
  return cudaSuccess;
}
cudaError_t cudaDriverGetVersion(int* version) {
  return cudaRuntimeGetVersion(version);
}

cudaError_t cudaGraphAddDependencies_v2(cudaGraph_t, const cudaGraphNode_t* from,
                                        const cudaGraphNode_t* to, const cudaGraphEdgeData* edges,
                                        std::size_t count) {
  return cudart::add_dependencies(from, to, edges, count);
}
#if FINESYNC_CUDART_VERSION >= 13
cudaError_t cudaGraphAddDependencies(cudaGraph_t graph, const cudaGraphNode_t* from,
                                     const cudaGraphNode_t* to, const cudaGraphEdgeData* edges,
                                     std::size_t count) {
  return cudaGraphAddDependencies_v2(graph, from, to, edges, count);
}
#else
cudaError_t cudaGraphAddDependencies(cudaGraph_t, const cudaGraphNode_t* from,
                                     const cudaGraphNode_t* to, std::size_t count) {
  return cudart::add_dependencies(from, to, nullptr, count);
}
#endif

}  // extern "C"
