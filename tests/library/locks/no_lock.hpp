// A lock without exclusion, which every check of exclusion must reject.
#pragma once

#include <finesync/device/cell.cuh>

#include <cstdint>

namespace finesync::test {

/// Every thread acquires it at once.
class no_lock {
 public:
  struct state {
    cell<std::uint32_t> held;
  };
  struct acquisition {};
  __device__ explicit no_lock(state&) {}
  __device__ acquisition enqueue() { return {}; }
  __device__ bool try_enter(acquisition&) { return true; }
  __device__ void wait(acquisition&) {}
  __device__ void leave(acquisition&) {}
};

}  // namespace finesync::test
