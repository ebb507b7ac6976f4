// A build without NCCL.
#include "running_engine.hpp"

namespace finesync::workload {

engine_processes start_nccl() {
  refuse_engine("NCCL", FINESYNC_LACKS_NCCL);
}

}  // namespace finesync::workload
