// A release loses its fence where the operation becomes a loop. docs/library/compiler_traps.md,
// trap 4.
//
// nvcc -arch=sm_90 -cubin lost_release.cu && nvdisasm -c lost_release.cubin

extern "C" __global__ void trap_lost_release(unsigned long long bits, unsigned* data) {
  __shared__ unsigned long long arrived;
  const unsigned address = static_cast<unsigned>(__cvta_generic_to_shared(&arrived));
  unsigned long long old;
  data[threadIdx.x] = 1;
  asm volatile("atom.release.cta.shared.or.b64 %0, [%1], %2;"
               : "=l"(old)
               : "r"(address), "l"(bits << threadIdx.x)
               : "memory");
  data[threadIdx.x + 1024] = static_cast<unsigned>(old);
}

// The same order, by a separate fence.
extern "C" __global__ void right_lost_release(unsigned long long bits, unsigned* data) {
  __shared__ unsigned long long arrived;
  const unsigned address = static_cast<unsigned>(__cvta_generic_to_shared(&arrived));
  unsigned long long old;
  data[threadIdx.x] = 1;
  asm volatile(
      "fence.acq_rel.cta;\n"
      "atom.relaxed.cta.shared.or.b64 %0, [%1], %2;"
      : "=l"(old)
      : "r"(address), "l"(bits << threadIdx.x)
      : "memory");
  data[threadIdx.x + 1024] = static_cast<unsigned>(old);
}
