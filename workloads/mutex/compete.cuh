// The kernel: blocks that acquire and release one lock.
#pragma once

#include "sections.cuh"

#include <finesync/device/numbering.cuh>
#include <finesync/device/shared_storage.cuh>
#include <finesync/locks/block_lock_storage.cuh>
#include <finesync/locks/exclusive.cuh>

#include <cstdint>

namespace finesync::mutex {

/// One acquisition by thread 0 for its whole block; all threads call this. \returns false if thread
/// 0 has finished its run, or its watchdog ended the wait.
template <class Lock, class Section, class RunLength, class Probe>
__device__ bool compete_as_block(Lock lock, const Section& section, RunLength& run_length,
                                 unsigned done, const watchdog_ref& watchdog, Probe& probe) {
  typename Lock::acquisition acquisition = {};
  bool inside = false;
  if (threadIdx.x == 0 && run_length.continues(done)) {
    probe.begin(0);
    acquisition = lock.enqueue();
    inside = enter_exclusive<other_lanes::idle>(lock, acquisition, watchdog, probe);
    if (inside) probe.entered();
  }
  if (__syncthreads_or(inside) == 0) return false;
  section();
  __syncthreads();
  if (threadIdx.x == 0) {
    probe.leaving();
    leave_exclusive(lock, acquisition,
                    watchdog);  // if the watchdog ends this wait, it also ends the next
  }
  return true;
}

/// All acquisitions of a thread that competes for its block. \returns how many it had.
template <class Lock, class Section, class RunLength, class Probe>
__device__ unsigned compete_alone(Lock lock, const Section& section, RunLength& run_length,
                                  const watchdog_ref& watchdog, Probe& probe) {
  unsigned done = 0;
  while (run_length.continues(done)) {
    probe.begin(0);
    if (!run_exclusive<other_lanes::idle>(lock, section, watchdog, probe)) break;
    ++done;
  }
  return done;
}

/// 32 registers let an SM hold its maximum of threads, which the thesis's full-occupancy points
/// need.
template <class Lock, class Section, class RunLength, class Probe>
__global__ void __maxnreg__(32)
    compete(lock_table_ref<Lock> locks, Section section, cell<std::uint32_t>* acquisitions,
            RunLength run_length, watchdog_ref watchdog, Probe probe) {
  assume_one_dimension();
  auto& places = shared_storage<block_lock_storage<Lock, 1>>();
  places.open();
  const Lock lock = places.lock(locks, 0);
  unsigned done = 0;
  if constexpr (Section::whole_block) {
    while (compete_as_block(lock, section, run_length, done, watchdog, probe)) ++done;
  } else if (threadIdx.x == 0) {
    done = compete_alone(lock, section, run_length, watchdog, probe);
  }
  if (threadIdx.x == 0) {
    acquisitions[blockIdx.x] = done;
    watchdog.report_done();
    probe.finish();
  }
  places.close();
}

/// Copies the value of a value-passing lock back to memory.
template <class Lock>
__global__ void unload(lock_table_ref<Lock> locks, cell<std::uint32_t>* words) {
  assume_one_dimension();
  words[0] = locks[0].get();
}

}  // namespace finesync::mutex
