// Records that are their own locks.
#pragma once

#include <workloads/mst/minimum/minimum.cuh>

namespace finesync::mst {

/// The record itself is taken out while it is held, by an exchange that leaves `held`, and whoever
/// has it puts the lesser of two keys back: a lock, its data and both their accesses in one word.
///
/// Ordering: of the record alone; one word, so relaxed accesses do.
/// Progress: a holder lets go without waiting for anybody. A waiter goes away as soon as it finds
///   a record that is less than what it offers.
/// Traffic: a load per offer; an exchange and a store for each that is less than what it found.
class full_empty_minimum : public key_records {
 public:
  using key_records::key_records;

  __device__ bool propose(std::uint32_t component, std::uint64_t key,
                          const watchdog_ref& watchdog) const {
    const global_atomic_ref record = of(component);
    bounded_wait wait(watchdog, awaited::lock);
    while (true) {
      const std::uint64_t found = record.load();
      if (found != held) {
        if (found <= key) return true;
        const std::uint64_t taken = record.exchange(held);
        if (taken != held) {
          record.store(taken < key ? taken : key);
          return true;
        }
      }
      if (wait.timed_out()) return false;
    }
  }

 private:
  /// The key of no edge: lists are shorter.
  static constexpr std::uint64_t held = no_key - 1;
};

}  // namespace finesync::mst
