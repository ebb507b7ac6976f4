// 64-bit read-modify-writes of another block's shared memory are not atomic.
// docs/library/compiler_traps.md, trap 3. sm_90 and later.
//
// nvcc -arch=sm_90 -cubin cluster_atomics.cu && nvdisasm -c cluster_atomics.cubin

// The address of block `rank`'s counterpart of `own`, within the cluster's shared memory.
__device__ unsigned mapped(const void* own, unsigned rank) {
  unsigned address = 0;
#if __CUDA_ARCH__ >= 900
  asm("mapa.shared::cluster.u32 %0, %1, %2;"
      : "=r"(address)
      : "r"(static_cast<unsigned>(__cvta_generic_to_shared(own))), "r"(rank));
#endif
  return address;
}

extern "C" __global__ void trap_cluster_atomics(unsigned long long mask, unsigned long long* out) {
  [[maybe_unused]] __shared__ unsigned long long word;
  unsigned long long old = 0;
#if __CUDA_ARCH__ >= 900
  asm volatile("atom.relaxed.cluster.shared::cluster.and.b64 %0, [%1], %2;"
               : "=l"(old)
               : "r"(mapped(&word, blockIdx.y)), "l"(mask)
               : "memory");
#endif
  out[threadIdx.x] = old;
}

extern "C" __global__ void right_cluster_atomics(unsigned mask, unsigned* out) {
  [[maybe_unused]] __shared__ unsigned word;
  unsigned old = 0;
#if __CUDA_ARCH__ >= 900
  asm volatile("atom.relaxed.cluster.shared::cluster.and.b32 %0, [%1], %2;"
               : "=r"(old)
               : "r"(mapped(&word, blockIdx.y)), "r"(mask)
               : "memory");
#endif
  out[threadIdx.x] = old;
}
