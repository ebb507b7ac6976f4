// A semaphore that is none: it lets everybody in.
#pragma once

namespace finesync::test {

struct no_semaphore {
  struct request {};
  __device__ request arrive(unsigned) const { return {}; }
  __device__ bool enter(request&) const { return true; }
  __device__ void wait(request&) const {}
  __device__ bool leave(request&) const { return true; }
};

}  // namespace finesync::test
