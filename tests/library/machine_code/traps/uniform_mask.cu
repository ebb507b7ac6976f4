// ptxas takes the mask of the active lanes for the same in all lanes.
// docs/library/compiler_traps.md, trap 2.
//
// nvcc -arch=sm_90 -cubin uniform_mask.cu && nvdisasm -c uniform_mask.cubin

// Lanes that are found together combine: one acquires a lock for all, then informs the others.
__device__ void combine(unsigned mask, unsigned* locks, unsigned* values, unsigned mine) {
  const int leader = __ffs(static_cast<int>(mask)) - 1;
  const unsigned which = __shfl_sync(mask, mine, leader);
  unsigned found = 0;
  if (static_cast<int>(threadIdx.x % 32) == leader) {
    while (atomicCAS(locks + which, 0u, 1u) != 0) __nanosleep(20);
    found = values[which]++;
    atomicExch(locks + which, 0u);
  }
  __syncwarp(mask);
  values[which + threadIdx.x] = __shfl_sync(mask, found, leader);
}

// Lanes of a warp have different numbers of iterations, so groups with several masks occur.
extern "C" __global__ void trap_uniform_mask(unsigned* locks, unsigned* values) {
  for (unsigned i = threadIdx.x % 7; i < 7; ++i) combine(__activemask(), locks, values, i);
}

// The lane's own bit is in the mask already, but now the mask differs by lane.
extern "C" __global__ void right_uniform_mask(unsigned* locks, unsigned* values) {
  for (unsigned i = threadIdx.x % 7; i < 7; ++i)
    combine(__activemask() | 1u << threadIdx.x % 32, locks, values, i);
}
