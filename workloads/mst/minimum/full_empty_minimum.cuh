// Full/empty records.
#pragma once

#include <workloads/mst/minimum/minimum.cuh>

namespace finesync::mst {

/// A full/empty word per record. An exchange takes the record and leaves `held`; the holder stores
/// the smaller of the two keys. One word is the lock, its data, and the access to both.
///
/// Ordering: only of the record; it is one word, so relaxed accesses suffice.
/// Progress: a holder releases without waiting for another thread. A waiter leaves as soon as the
///   record is at most its own key.
/// Traffic: a load per proposal; an exchange and a store for each proposal smaller than the record.
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
  /// A key of no edge, as lists are shorter.
  static constexpr std::uint64_t held = no_key - 1;
};

}  // namespace finesync::mst
