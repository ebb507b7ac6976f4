// The kernel without its lock, compiled once for all primitives.
#pragma once

#include <finesync/device/watchdog.cuh>
#include <finesync/host/launch.cuh>
#include <finesync/locks/lock_table.cuh>
#include <workloads/mutex/counted_words.hpp>
#include <workloads/mutex/run_config.hpp>

namespace finesync::mutex {

/// A lock that excludes no thread.
struct without_lock {
  struct state {};
  struct acquisition {};

  __device__ explicit without_lock(state&) {}
  __device__ acquisition enqueue() { return {}; }
  __device__ bool try_enter(acquisition&) { return true; }
  __device__ void wait(acquisition&) {}
  __device__ void leave(acquisition&) {}
};

/// Number of its blocks that fit on the GPU.
unsigned resident_without_lock(const run_config& config, const launch_shape& block);

/// Queues it: every block runs its section config.rounds times.
void launch_without_lock(const run_config& config, const launch_shape& shape,
                         const lock_table<without_lock>& none, const counted_words& words,
                         const watchdog_ref& watchdog);

}  // namespace finesync::mutex
