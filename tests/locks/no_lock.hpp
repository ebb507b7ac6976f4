// The lock that is none: what every check of exclusion must reject.
#pragma once

#include <finesync/device/cell.cuh>

#include <cstdint>

namespace finesync::test {

/// Lets everybody in.
class no_lock {
 public:
  struct state {
    cell<std::uint32_t> held;
  };
  struct request {};
  __device__ explicit no_lock(state&) {}
  __device__ request arrive() { return {}; }
  __device__ bool enter(request&) { return true; }
  __device__ void wait(request&) {}
  __device__ void leave(request&) {}
};

}  // namespace finesync::test
