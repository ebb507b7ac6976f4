// Running a critical section under a lock. A section is written once, as a function object, and
// runs under any lock of this folder.
//
// A Lock is a trivially copyable ref to its state and offers
//|  struct state                        what it keeps in memory; all bytes zero means free
//|  struct acquisition                      what one acquisition keeps in registers
//|  acquisition enqueue()                    begins one: takes a slot in the queue, if there is one
//|  bool try_enter(acquisition&)                tries to get in; acquires on success
//|  void wait(acquisition&)                 what to do before trying again
//|  void leave(acquisition&)                releases; or bool: false to be tried again after wait()
// and, if that is worth it,
//|  bool try_enter_burst(acquisition&)          try_enter() that tries some times in a row (polling.cuh), for a
//|                                      thread of whose warp no other competes at the time
// A lock that hands a word from holder to holder keeps it in acquisition::word while it is held.
// Every lock excludes, of the threads in its scope, all but one between try_enter() and leave(),
// and makes what the last holder did before leave() visible after try_enter(), also for plain
// accesses.
#pragma once

#include "finesync/device/watchdog.cuh"

#include <type_traits>
#include <utility>

namespace finesync {
inline namespace FINESYNC_ABI {

/// Watches nothing. A probe sees one thread's acquisitions: begin(which lock) before the wait,
/// retry() after each failed try, entered() and leaving() inside the section.
struct no_observer {
  __device__ void begin(unsigned) {}
  __device__ void retry() {}
  __device__ void entered() {}
  __device__ void leaving() {}
};

/// What the warp of a thread does while the thread waits.
enum class other_lanes {
  competing,  ///< other lanes may want locks too, or hold them
  idle,       ///< no other lane does anything: the caller may poll in a row
};

/// One try at a lock, or at whatever else is entered.
template <other_lanes Others, class Gate, class Acquisition>
__device__ bool try_to_enter(Gate& gate, Acquisition& acquisition) {
  if constexpr (Others == other_lanes::idle && requires { gate.try_enter_burst(acquisition); }) {
    return gate.try_enter_burst(acquisition);
  } else {
    return gate.try_enter(acquisition);
  }
}

/// Gets in, or gives up: false when the watchdog ended the wait.
template <other_lanes Others = other_lanes::competing, class Lock, class Probe>
__device__ bool enter_exclusive(Lock lock, typename Lock::acquisition& acquisition,
                                const watchdog_ref& watchdog, Probe& probe) {
  bounded_wait wait(watchdog, awaited::lock);
  while (!try_to_enter<Others>(lock, acquisition)) {
    probe.retry();
    if (wait.timed_out()) return false;
    lock.wait(acquisition);
  }
  return true;
}

/// Gets out, or gives up: false when the watchdog ended the wait.
template <class Lock>
__device__ bool leave_exclusive(Lock lock, typename Lock::acquisition& acquisition,
                                const watchdog_ref& watchdog) {
  if constexpr (std::is_void_v<decltype(lock.leave(acquisition))>) {
    lock.leave(acquisition);
  } else {
    bounded_wait wait(watchdog, awaited::release);
    while (!lock.leave(acquisition)) {
      if (wait.timed_out()) return false;
      lock.wait(acquisition);
    }
  }
  return true;
}

/// A lock that carries the protected word. Its sections take that word by reference.
template <class Lock>
concept passes_value = requires(typename Lock::acquisition acquisition) {
  acquisition.word;
};

/// Runs section() while holding `lock`. Participants: any threads of the lock's scope, alone or
/// together with others of their warp. A thread of which the warp does nothing else meanwhile, as
/// of a block that sends its thread 0, is quicker with other_lanes::idle.
///
/// The section stands inside the retry loop (ASPLOS'19, Listing 1), so that lanes of one warp which
/// compete for a lock also make progress where a warp has a single program counter.
/// \returns false when the watchdog ended a wait: leave the kernel.
template <other_lanes Others = other_lanes::competing, class Lock, class Section, class Probe>
__device__ bool run_exclusive(Lock lock, Section&& section, const watchdog_ref& watchdog,
                              Probe& probe) {
  typename Lock::acquisition acquisition = lock.enqueue();
  bounded_wait wait(watchdog, awaited::lock);
  bool done = false;
  do {
    if (try_to_enter<Others>(lock, acquisition)) {
      probe.entered();
      if constexpr (passes_value<Lock>) {
        section(acquisition.word);
      } else {
        section();
      }
      probe.leaving();
      if (!leave_exclusive(lock, acquisition, watchdog)) return false;
      done = true;
    } else {
      probe.retry();
      if (wait.timed_out()) return false;
      lock.wait(acquisition);
    }
  } while (!done);
  return true;
}

template <other_lanes Others = other_lanes::competing, class Lock, class Section>
__device__ bool run_exclusive(Lock lock, Section&& section, const watchdog_ref& watchdog) {
  no_observer unwatched;
  return run_exclusive<Others>(lock, std::forward<Section>(section), watchdog, unwatched);
}

}  // namespace FINESYNC_ABI
}  // namespace finesync
