// What instrumented runs see of critical sections: the events of each thread's acquisitions. An
// observer is an object of one thread, for one lock at a time: sections over several locks take an
// observer for each (multi_object/multi_lock.cuh).
//
// Use: observer.begin(i); run_exclusive(locks[i], section, watchdog, observer); observer.finish();
#pragma once

#include "finesync/device/platform.cuh"

namespace finesync {
inline namespace FINESYNC_ABI {

///|  begin(index)  the thread is about to want lock `index`; called by the code that has the index
///|  retry()       a try failed, or the lock was acquired and is given back unused
///|  entered()     the thread has the lock
///|  leaving()     its section is over, and it still has the lock
///|  finish()      the thread's last section is over
template <class Observer>
concept lock_observer = requires(Observer observer, unsigned index) {
  observer.begin(index);
  observer.retry();
  observer.entered();
  observer.leaving();
  observer.finish();
};

/// Sees nothing, and leaves nothing of itself in a kernel.
struct no_observer {
  __device__ void begin(unsigned) {}
  __device__ void retry() {}
  __device__ void entered() {}
  __device__ void leaving() {}
  __device__ void finish() {}
};

}  // namespace FINESYNC_ABI
}  // namespace finesync
