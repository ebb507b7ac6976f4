// A build without NVSHMEM.
#include "running_engine.hpp"

namespace finesync::workload {

engine_processes start_nvshmem() {
  refuse_engine("NVSHMEM", FINESYNC_LACKS_NVSHMEM);
}

}  // namespace finesync::workload
