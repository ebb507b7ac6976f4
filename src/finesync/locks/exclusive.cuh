// Running a critical section under a lock. A section is written once, as a function object, and
// runs under any lock of this folder.
//
// A Lock is a trivially copyable ref to its state and offers
//   struct state                        what it keeps in memory; all bytes zero means free
//   struct request                      what one acquisition keeps in registers
//   request arrive()                    begins one: takes a place in the queue, if there is one
//   bool enter(request&)                tries to get in; acquires on success
//   void wait(request&)                 what to do before trying again
//   void leave(request&)                releases
// Every lock excludes, of the threads in its scope, all but one between enter() and leave(), and
// makes what the last holder did before leave() visible after enter(), also for plain accesses.
#pragma once

#include "finesync/device/watchdog.cuh"

#include <utility>

namespace finesync {

/// Watches nothing. A probe sees one thread's acquisitions: begin(which lock) before the wait,
/// retry() after each failed try, entered() and leaving() inside the section.
struct no_probe {
  __device__ void begin(unsigned) {}
  __device__ void retry() {}
  __device__ void entered() {}
  __device__ void leaving() {}
};

/// Runs section() while holding `lock`. Participants: any threads of the lock's scope, alone or
/// together with others of their warp.
///
/// The section stands inside the retry loop (ASPLOS'19, Listing 1), so that lanes of one warp which
/// compete for a lock also make progress where a warp has a single program counter.
/// \returns false, and has not run the section, when the watchdog ended the wait.
template <class Lock, class Section, class Probe>
__device__ bool run_exclusive(Lock lock, Section&& section, const watchdog_ref& dog, Probe& probe) {
  typename Lock::request request = lock.arrive();
  patience patient(dog);
  bool done = false;
  do {
    if (lock.enter(request)) {
      probe.entered();
      section();
      probe.leaving();
      lock.leave(request);
      done = true;
    } else {
      probe.retry();
      if (patient.exhausted()) return false;
      lock.wait(request);
    }
  } while (!done);
  return true;
}

template <class Lock, class Section>
__device__ bool run_exclusive(Lock lock, Section&& section, const watchdog_ref& dog) {
  no_probe unwatched;
  return run_exclusive(lock, std::forward<Section>(section), dog, unwatched);
}

}  // namespace finesync
