// The SM whose writer or reader a block is.
#pragma once

#include <finesync/device/clock.cuh>
#include <workloads/semaphore/table.hpp>

namespace finesync::semaphore {

/// The slot of the SM that the block runs on. If the grid has blocks for fewer SMs than the GPU
/// has, blocks are dealt out to these in turn, as in HeteroSync, wherever they run.
__device__ inline unsigned sm_of_block(const table_ref& table) {
  return table.sms == 0 ? sm_slot() : blockIdx.x % table.sms;
}

}  // namespace finesync::semaphore
