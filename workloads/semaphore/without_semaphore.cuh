// The kernel without its semaphore, compiled once for all primitives.
#pragma once

#include <finesync/device/watchdog.cuh>
#include <finesync/host/launch.cuh>
#include <workloads/semaphore/run_config.hpp>
#include <workloads/semaphore/table.hpp>

namespace finesync::semaphore {

/// Queues it: every block runs its section config.rounds times.
void launch_without_semaphore(const run_config& config, const launch_shape& shape,
                              const shares_ref& table, const watchdog_ref& watchdog);

}  // namespace finesync::semaphore
