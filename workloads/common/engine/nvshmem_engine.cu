// NVSHMEM in processes that MPI has started.
#include "start_processes.hpp"

#include <finesync/several_gpus/nvshmem/nvshmem_processes.cuh>

#include <memory>
#include <utility>

namespace finesync::workload {

engine_processes start_nvshmem() {
  return start_processes("nvshmem", [](std::shared_ptr<const process_group> all) {
    return std::make_shared<nvshmem_processes>(std::move(all));
  });
}

}  // namespace finesync::workload
