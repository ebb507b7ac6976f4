// The locks of device scope as one writes them without finesync: CUDA's own functions where they
// suffice, and inline PTX for orders that they lack. expected.py says the same of both, and a round
// of the library's loops must not be longer (checks.py, longer_rounds).
#include "kernels.cuh"

#include <finesync/device/numbering.cuh>

#include <cuda_runtime_api.h>

namespace {

__device__ u32 cas_acquire(u32* p, u32 old, u32 v) {
  u32 found;
  asm volatile("atom.cas.acquire.gpu.b32 %0, [%1], %2, %3;"
               : "=r"(found)
               : "l"(p), "r"(old), "r"(v)
               : "memory");
  return found;
}
__device__ u32 load(const u32* p) {
  u32 v;
  asm volatile("ld.relaxed.gpu.u32 %0, [%1];" : "=r"(v) : "l"(p) : "memory");
  return v;
}
__device__ void store_release(u32* p, u32 v) {
  asm volatile("st.release.gpu.u32 [%0], %1;" ::"l"(p), "r"(v) : "memory");
}
__device__ void acquire_fence() {
#if __CUDA_ARCH__ >= 900 && CUDART_VERSION >= 12070
  asm volatile("fence.acquire.gpu;" ::: "memory");
#else
  asm volatile("fence.acq_rel.gpu;" ::: "memory");
#endif
}
__device__ void sleep_by_place(u32 distance) {
  if (distance > 1) __nanosleep(distance - 1 > 40 ? 4096 : (distance - 1) * 100);
}

struct tickets {
  u32 next;
  u32 serving;
};

constexpr u32 slots = 16;
struct alignas(128) line {
  u32 word;
};
struct anderson_lines {
  line next;
  line granted[slots];
};

}  // namespace

extern "C" __global__ void spin_device_by_hand(u32* locks, u32* data) {
  assume_one_dimension();
  while (atomicCAS(&locks[threadIdx.x], 0, 1) != 0) {
  }
  __threadfence();
  data[threadIdx.x] = data[threadIdx.x] + 1;
  __threadfence();
  atomicExch(&locks[threadIdx.x], 0);
}

extern "C" __global__ void tas_device_by_hand(u32* locks, u32* data) {
  assume_one_dimension();
  while (cas_acquire(&locks[threadIdx.x], 0, 1) != 0) {
  }
  data[threadIdx.x] = data[threadIdx.x] + 1;
  store_release(&locks[threadIdx.x], 0);
}

extern "C" __global__ void backoff_device_by_hand(u32* locks, u32* data) {
  assume_one_dimension();
  u32 ns = 32;
  while (cas_acquire(&locks[threadIdx.x], 0, 1) != 0) {
    do {
      __nanosleep(ns);
      ns = ns > 1024 ? 2048 : 2 * ns;
    } while (load(&locks[threadIdx.x]) != 0);
  }
  data[threadIdx.x] = data[threadIdx.x] + 1;
  store_release(&locks[threadIdx.x], 0);
}

extern "C" __global__ void ticket_device_by_hand(tickets* locks, u32* data) {
  assume_one_dimension();
  tickets& lock = locks[threadIdx.x];
  const u32 mine = atomicAdd(&lock.next, 1);
  while (const u32 ahead = mine - load(&lock.serving)) sleep_by_place(ahead);
  acquire_fence();
  data[threadIdx.x] = data[threadIdx.x] + 1;
  store_release(&lock.serving, mine + 1);
}

extern "C" __global__ void anderson_device_by_hand(anderson_lines* locks, u32* data) {
  assume_one_dimension();
  anderson_lines& lock = locks[threadIdx.x];
  const u32 mine = atomicAdd(&lock.next.word, 1);
  const u32* turn = &lock.granted[mine % slots].word;
  while (const u32 ahead = mine - load(turn)) sleep_by_place(ahead < slots ? 1 : ahead - slots + 1);
  acquire_fence();
  data[threadIdx.x] = data[threadIdx.x] + 1;
  store_release(&lock.granted[(mine + 1) % slots].word, mine + 1);
}
