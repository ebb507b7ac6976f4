// Blocks that wait for each other at grid.sync(), in a kernel that promises one dimension, and in
// one that does not (device/numbering.cuh).
#include <cooperative_groups.h>

extern "C" __global__ void trap_early_poll() {
  __builtin_assume(threadIdx.y == 0);
  __builtin_assume(threadIdx.z == 0);
  cooperative_groups::this_grid().sync();
}

extern "C" __global__ void right_early_poll() {
  cooperative_groups::this_grid().sync();
}
