// A build without NCCL.
#include "running_engine.hpp"

#include <bench/usage_error.hpp>

namespace finesync::workload {

engine_processes start_nccl() {
  throw bench::usage_error(
      "--engine: this build has no NCCL, use --engine peers (" FINESYNC_LACKS_NCCL ")");
}

}  // namespace finesync::workload
