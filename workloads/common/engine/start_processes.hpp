// How engines of several processes start: MPI, a GPU for each process, and a library for memory
// that their kernels share.
#pragma once

#include "running_engine.hpp"

#include <finesync/host/gpu_processes.hpp>

#include <functional>
#include <memory>
#include <string>

namespace finesync::workload {

/// In all processes, with a device of its own as the current one of each.
using start_library =
    std::function<std::shared_ptr<const gpu_processes>(std::shared_ptr<const process_group>)>;

/// A process that fails to start ends all. \throws bench::usage_error, in all processes, if two
/// have one GPU, or GPUs of two kinds, or for a launch_error of `start`.
engine_processes start_processes(const std::string& engine, const start_library& start);

}  // namespace finesync::workload
