// SPDX-License-Identifier: Apache-2.0
// What the library alone has, and no program that is linked with its parts.
#include <cudart/device.hpp>
#include <cudart/findings.hpp>
#include <cudart/graphs.hpp>

namespace {

/// Before the program begins: it may clear its environment.
[[gnu::constructor]] void read_settings() {
  cudart::settings_of_run();
}

}  // namespace

extern "C" {

// For version.cpp.
[[noreturn]] void finesync_end_process(int status) {
  cudart::end_process(status);
}
cudaError_t cudaGraphAddDependencies_v2(cudaGraph_t, const cudaGraphNode_t* from,
                                        const cudaGraphNode_t* to, const cudaGraphEdgeData* edges,
                                        std::size_t count) {
  return cudart::add_dependencies(from, to, edges, count);
}

}  // extern "C"
