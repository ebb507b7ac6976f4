// Inserts under the locks of finesync. Each kernel has a counterpart in locks_by_hand.cu.
#include "insert.cuh"

#include <finesync/device/watchdog.cuh>
#include <finesync/locks/anderson_lock.cuh>
#include <finesync/locks/exclusive.cuh>
#include <finesync/locks/spin_lock.cuh>
#include <finesync/locks/tas_lock.cuh>
#include <finesync/locks/ticket_lock.cuh>
#include <finesync/locks/ttas_lock.cuh>

namespace {

using namespace finesync;

template <class Lock>
__device__ void insert(const table& t, typename Lock::state* locks) {
  const std::uint32_t node = thread_number();
  const std::uint32_t e = t.entry[node];
  Lock lock(locks[e]);
  auto acquisition = lock.enqueue();
  while (!lock.try_enter(acquisition)) lock.wait(acquisition);
  t.push(e, node);
  lock.leave(acquisition);
}

template <class Lock>
__device__ void watched_insert(const table& t, typename Lock::state* locks,
                               const watchdog_ref& watchdog) {
  const std::uint32_t node = thread_number();
  const std::uint32_t e = t.entry[node];
  const auto section = [&] { t.push(e, node); };
  run_exclusive(Lock(locks[e]), section, watchdog);
}

template <scope Scope>
using spin = spin_lock<Scope>;
template <scope Scope>
using tas = tas_lock<Scope>;
template <scope Scope>
using backoff = ttas_lock<Scope, exponential_backoff<32, 2048>>;
template <scope Scope>
using ticket = ticket_lock<Scope, proportional_backoff<100, 4096>>;
template <scope Scope>
using anderson = anderson_lock<Scope, proportional_backoff<100, 4096>>;

}  // namespace

#define KERNEL(lock, reach)                                                              \
  extern "C" __global__ void lock##_##reach(table t, lock<scope::reach>::state* locks) { \
    insert<lock<scope::reach>>(t, locks);                                                \
  }
#define WATCHED_KERNEL(lock)                                                            \
  extern "C" __global__ void lock##_watched(table t, lock<scope::device>::state* locks, \
                                            watchdog_ref watchdog) {                    \
    watched_insert<lock<scope::device>>(t, locks, watchdog);                            \
  }

#include "locks.inc"
