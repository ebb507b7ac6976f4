// SPDX-License-Identifier: Apache-2.0
// Events of each thread's acquisitions, for instrumented runs. An observer belongs to one thread
// and observes one lock at a time. Sections over several locks take an observer for each
// (multi_object/multi_lock.cuh).
//
// Use: observer.begin(i); run_exclusive(locks[i], section, watchdog, observer); observer.finish();
#pragma once

#include "finesync/device/platform.cuh"

namespace finesync::inline FINESYNC_ABI {

///|  begin(index)  the thread is about to enqueue for lock `index`; called where the index is known
///|  retry()       an attempt failed, or the lock was acquired and is released unused
///|  entered()     the thread holds the lock
///|  leaving()     the section is over; the thread still holds the lock
///|  finish()      the thread's last section is over
template <class Observer>
concept lock_observer = requires(Observer observer, unsigned index) {
  observer.begin(index);
  observer.retry();
  observer.entered();
  observer.leaving();
  observer.finish();
};

/// Observes nothing; adds no code to a kernel.
struct no_observer {
  __device__ void begin(unsigned) {}
  __device__ void retry() {}
  __device__ void entered() {}
  __device__ void leaving() {}
  __device__ void finish() {}
};

}  // namespace finesync::inline FINESYNC_ABI
