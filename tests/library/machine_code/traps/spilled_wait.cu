// A waiter with an array in local memory, which each poll would pay for, and one without.

__device__ unsigned poll(const unsigned* flag) {
  unsigned seen;
  asm volatile("ld.relaxed.gpu.b32 %0, [%1];" : "=r"(seen) : "l"(flag) : "memory");
  return seen;
}

extern "C" __global__ void trap_spilled_wait(const unsigned* flag, unsigned* out) {
  unsigned last[16] = {};
  unsigned seen = 0;
  for (unsigned i = threadIdx.x; seen == 0; ++i) last[i % 16] = seen = poll(flag + i % 2);
  out[threadIdx.x] = last[threadIdx.x % 16];
}

extern "C" __global__ void right_spilled_wait(const unsigned* flag, unsigned* out) {
  unsigned seen = 0;
  for (unsigned i = threadIdx.x; seen == 0; ++i) seen = poll(flag + i % 2);
  out[threadIdx.x] = seen;
}
