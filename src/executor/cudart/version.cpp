// SPDX-License-Identifier: Apache-2.0
// All that differs between CUDA 12 and 13: a library each, before the one that does the work.
#include <cudart/findings.hpp>
#include <cudart/graphs.hpp>

extern "C" {

cudaError_t cudaRuntimeGetVersion(int* version) {
  *version = FINESYNC_CUDART_VERSION * 1000;
  return cudaSuccess;
}
cudaError_t cudaDriverGetVersion(int* version) {
  return cudaRuntimeGetVersion(version);
}

#if FINESYNC_CUDART_VERSION >= 13
cudaError_t cudaGraphAddDependencies(cudaGraph_t graph, const cudaGraphNode_t* from,
                                     const cudaGraphNode_t* to, const cudaGraphEdgeData* edges,
                                     std::size_t count) {
  return cudaGraphAddDependencies_v2(graph, from, to, edges, count);
}
#else
cudaError_t cudaGraphAddDependencies(cudaGraph_t graph, const cudaGraphNode_t* from,
                                     const cudaGraphNode_t* to, std::size_t count) {
  return cudaGraphAddDependencies_v2(graph, from, to, nullptr, count);
}
#endif

// They end a process without its destructors. The C library's own are found after these, but not
// before the library that does the work: programs do not name it.
[[noreturn]] void _exit(int status) {
  finesync_end_process(status);
}
[[noreturn]] void _Exit(int status) {
  finesync_end_process(status);
}

}  // extern "C"
