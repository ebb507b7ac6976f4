// NCCL in processes that MPI has started.
#include "start_processes.hpp"

#include <finesync/several_gpus/nccl/nccl_processes.cuh>

#include <memory>
#include <utility>

namespace finesync::workload {

engine_processes start_nccl() {
  return start_processes("nccl", [](std::shared_ptr<const process_group> all) {
    return std::make_shared<nccl_processes>(std::move(all));
  });
}

}  // namespace finesync::workload
