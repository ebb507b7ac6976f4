// SPDX-License-Identifier: Apache-2.0
// Each OS thread's own default stream: what programs built with `--default-stream per-thread` mean
// by none, and cudaStreamPerThread. It waits for the legacy default stream, and that for it.
#pragma once

#include <cudart/abi.hpp>

namespace cudart {

/// While it lives, functions that this OS thread calls take no stream for its own default stream,
/// and are said to be called from here.
class per_thread_call {
 public:
  explicit per_thread_call(const void* from);
  ~per_thread_call();
  per_thread_call(const per_thread_call&) = delete;
  per_thread_call& operator=(const per_thread_call&) = delete;
};

/// The stream that a program means. To be called on the OS thread that the program uses.
cudaStream_t meant(cudaStream_t stream);

/// Where the program calls a function that returns there, or the one that calls this.
const void* place_of_call(const void* returns_to);

}  // namespace cudart
