// The kernel without its lock, compiled once for all.
#pragma once

#include <finesync/device/watchdog.cuh>
#include <finesync/host/launch.cuh>
#include <finesync/locks/lock_table.cuh>
#include <workloads/mutex/counted_words.hpp>
#include <workloads/mutex/setup.hpp>

#include <cstddef>

namespace finesync::mutex {

/// Lets everybody in.
struct unlocked {
  struct state {};
  struct request {};

  __device__ explicit unlocked(state&) {}
  __device__ request arrive() { return {}; }
  __device__ bool enter(request&) { return true; }
  __device__ void wait(request&) {}
  __device__ void leave(request&) {}
};

/// Blocks of it that the whole GPU holds.
unsigned resident_unlocked(const setup& how, const launch_shape& block);

/// Queues it: every block goes in and out of the section how.rounds times.
void launch_unlocked(const setup& how, const launch_shape& shape, const lock_table<unlocked>& none,
                     const counted_words& words, const watchdog_ref& watchdog);

}  // namespace finesync::mutex
