// The GPUs of an engine, for experiments.
#pragma once

#include <finesync/host/peers.cuh>
#include <workloads/common/engine/engine_kind.hpp>

namespace finesync::workload {

/// \throws bench::infeasible if the program does not run with this engine, or with another number
/// of GPUs.
peers peers_of(engine_kind engine, unsigned gpus);

}  // namespace finesync::workload
