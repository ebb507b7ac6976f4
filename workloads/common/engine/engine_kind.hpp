// The engines by which GPUs reach each other's memory.
#pragma once

namespace finesync::workload {

enum class engine_kind {
  peers,    ///< one process; peer access between its devices
  nccl,     ///< a process per GPU, started by MPI; windows of NCCL
  nvshmem,  ///< the same; the symmetric heap of NVSHMEM
};

}  // namespace finesync::workload
