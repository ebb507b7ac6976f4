// Records under locks.
#pragma once

#include <finesync/locks/exclusive.cuh>
#include <finesync/locks/lock_table.cuh>
#include <finesync/multi_object/multi_lock.cuh>
#include <workloads/mst/minimum/minimum.cuh>

namespace finesync::mst {

/// A lock next to each record. A thread compares its key before it locks. A waiter compares again
/// and leaves once the record is at most its key, unless the lock queues. Waiters of a queue lock
/// stay, as others queue after them.
///
/// Ordering: the record is one word that others read without the lock; its accesses are relaxed
///   atomics, ordered by the lock.
/// Progress: that of the lock.
/// Traffic: that of the lock, for proposals smaller than the record.
template <class Lock>
class locked_minimum : public key_records {
 public:
  using lock = Lock;

  locked_minimum(cell<std::uint64_t>* words, std::uint32_t components,
                 const lock_table_ref<Lock>& locks)
      : key_records(words, components), locks_(locks) {
    static_assert(!passes_value<Lock>, "such a lock orders nothing but the word that it carries");
  }

  __device__ bool propose(std::uint32_t component, std::uint64_t key,
                          const watchdog_ref& watchdog) const {
    Lock own = locks_[component];
    typename Lock::acquisition acquisition = own.enqueue();
    bounded_wait wait(watchdog, awaited::lock, component);
    bool done = false;
    do {  // the section is inside the loop, as in run_exclusive()
      if (own.try_enter(acquisition)) {
        if (improves(component, key)) of(component).store(key);
        if (!leave_exclusive(own, acquisition, watchdog)) return false;
        done = true;
      } else if (unfenced_try_lock<Lock> && !improves(component, key)) {
        done = true;
      } else {
        if (wait.timed_out()) return false;
        own.wait(acquisition);
      }
    } while (!done);
    return true;
  }

 private:
  lock_table_ref<Lock> locks_;
};

}  // namespace finesync::mst
