// A kernel with CUDA's groups, which the host executor lacks (check_errors.py).
#include <finesync/device/cell.cuh>

// error: the host executor has no <cooperative_groups.h>: use finesync/device/grid_group.cuh
#include <cooperative_groups.h>

__global__ void meet() {
  cooperative_groups::this_grid().sync();
}
