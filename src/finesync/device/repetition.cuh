// SPDX-License-Identifier: Apache-2.0
// A chain of kernels that the device repeats (launch_graph.cuh): how a kernel of it ends that.
#pragma once

#include "finesync/device/cell.cuh"

#include <cstdint>

namespace finesync::inline FINESYNC_ABI {

/// The device side; trivially copyable, passed by value to kernels of the chain alone.
class repetition_ref {
 public:
#ifdef FINESYNC_HOST_EXECUTOR
  using handle = cell<std::uint32_t>*;
#else
  using handle = cudaGraphConditionalHandle;
#endif
  explicit repetition_ref(handle ended) : ended_(ended) {}

  /// The chain, once it has run to its end, is not run again. By at most one thread in each pass.
  __device__ __forceinline__ void end() const {
#ifdef FINESYNC_HOST_EXECUTOR
    *ended_ = 1;
#else
    cudaGraphSetConditional(ended_, 0);
#endif
  }

 private:
  handle ended_;
};

}  // namespace finesync::inline FINESYNC_ABI
