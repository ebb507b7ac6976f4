// Lock transfer latency: the time from one thread's release of a lock to the acquisition by a
// thread that was already waiting (ASPLOS'19, table 3). Locks that are held together are measured
// separately. Instrumented runs are never the timed ones.
#pragma once

#include <bench/experiment.hpp>
#include <finesync/device/atomic_ref.cuh>
#include <finesync/device/clock.cuh>
#include <finesync/host/buffer.cuh>
#include <finesync/host/gpu.cuh>
#include <finesync/locks/observer.cuh>
#include <workloads/common/outcomes.hpp>

#include <cstddef>
#include <cstdint>
#include <string>

namespace finesync::workload {

/// The time in ns, modulo 2^32, and never 0. It takes one register.
__device__ inline std::uint32_t handoff_clock() {
  return static_cast<std::uint32_t>(global_time_ns()) | 1;
}

/// Common to both observers: a thread's hand-offs. The totals are kept twice, so that a lost
/// addition shows.
class handoff_counts {
 public:
  explicit handoff_counts(cell<std::uint64_t>* totals) : totals_(totals) {}

  __device__ void add(std::uint32_t ns) {
    ++transfers_;
    ns_ += ns;
  }
  /// A time of release that is lost. A lock that does not order it may see a few.
  __device__ void miss() {
    atomic_ref<std::uint64_t, scope::device>(totals_[4]).fetch_add(1, memory_order::relaxed);
  }
  __device__ void finish() {
    if (transfers_ == 0) return;
    using total = atomic_ref<std::uint64_t, scope::device>;
    for (unsigned copy = 0; copy < 2; ++copy) {
      total(totals_[2 * copy]).fetch_add(transfers_, memory_order::relaxed);
      total(totals_[2 * copy + 1]).fetch_add(ns_, memory_order::relaxed);
    }
    transfers_ = 0;
  }

 private:
  cell<std::uint64_t>* totals_;
  std::uint32_t transfers_ = 0;
  std::uint32_t ns_ = 0;  ///< below 4 s: hand-offs of one lock do not overlap
};

class handoff_watch;

/// The observer of one of the two locks of a handoff_watch (finesync/locks/observer.cuh).
struct handoff_observer {
  handoff_watch* both;
  unsigned which;

  __device__ void begin(unsigned) {}
  __device__ void retry() {}
  __device__ void entered();
  __device__ void leaving();
  __device__ void finish() {}
};

/// What a thread sees of the two locks of its sections. A lock that is acquired and given back
/// unused counts for nothing. Few registers: what spills is read again after an acquire fence, from
/// the L2, and would be part of the hand-off.
class handoff_watch {
 public:
  static constexpr unsigned words_per_lock = 2;

  /// \param words the time of each lock's last release, twice, so that a lost one shows.
  /// \param totals hand-offs, and their ns.
  handoff_watch(cell<std::uint32_t>* words, cell<std::uint64_t>* totals)
      : words_(words), counts_(totals) {}

  /// A section begins. \param first, second the locks, in ascending order.
  __device__ void begin(unsigned first, unsigned second) {
    lock_[0] = first;
    lock_[1] = second;
    began_ = handoff_clock();
  }
  __device__ void entered(unsigned which) {
    const std::uint32_t released = time_of_release(which).load(memory_order::relaxed);
    const std::uint32_t again = time_of_release(which, 1).load(memory_order::relaxed);
    const std::uint32_t now = handoff_clock();
    const bool was_waiting = static_cast<std::int32_t>(released - began_) > 0;
    const bool is_past = static_cast<std::int32_t>(now - released) >= 0;
    pending_[which] = released != 0 && was_waiting && is_past ? now - released + 1 : 0;
    if (again != released) counts_.miss();
  }
  __device__ void leaving(unsigned which) {
    if (pending_[which] != 0) counts_.add(pending_[which] - 1);
    pending_[which] = 0;
    const std::uint32_t now = handoff_clock();
    time_of_release(which).store(now, memory_order::relaxed);
    time_of_release(which, 1).store(now, memory_order::relaxed);
  }
  __device__ void finish() { counts_.finish(); }

  /// \param which 0: the lower lock, 1: the higher one.
  __device__ handoff_observer observer_of(unsigned which) { return {this, which}; }

 private:
  __device__ atomic_ref<std::uint32_t, scope::device> time_of_release(unsigned which,
                                                                      unsigned copy = 0) const {
    return atomic_ref<std::uint32_t, scope::device>(words_[words_per_lock * lock_[which] + copy]);
  }

  cell<std::uint32_t>* words_;
  handoff_counts counts_;
  std::uint32_t lock_[2] = {};
  std::uint32_t began_ = 0;
  std::uint32_t pending_[2] = {};  ///< while the lock is held: the hand-off's ns and 1, or none
};

__device__ inline void handoff_observer::entered() {
  both->entered(which);
}
__device__ inline void handoff_observer::leaving() {
  both->leaving(which);
}

/// Sees nothing of the two locks.
struct no_handoff_watch {
  __device__ void begin(unsigned, unsigned) {}
  __device__ void finish() {}
  __device__ no_observer observer_of(unsigned) { return {}; }
};

/// Observes the locks of a server, which only its block uses. Its words have block scope, so they
/// are in the SM's L1. A hand-off counts if any lane was refused while the lock was held.
class server_handoff_observer {
 public:
  static constexpr unsigned words_per_lock = 3;

  /// \param words of each lock: whether a lane waits, and the time of the last release, 0 if none
  /// waited then, twice. \param totals hand-offs, and their ns.
  server_handoff_observer(cell<std::uint32_t>* words, cell<std::uint64_t>* totals)
      : words_(words), counts_(totals) {}

  __device__ void begin(unsigned lock) { lock_ = lock; }
  __device__ void retry() {  // again and again: a load that hits is cheaper than a store
    if (word(0).load(memory_order::relaxed) == 0) word(0).store(1, memory_order::relaxed);
  }
  __device__ void entered() {
    word(0).store(0, memory_order::relaxed);
    const std::uint32_t released = word(1).load(memory_order::relaxed);
    if (word(2).load(memory_order::relaxed) != released) counts_.miss();
    if (released == 0) return;
    counts_.add(handoff_clock() - released);
    note(0);  // the lock may be given back unused
  }
  __device__ void leaving() {
    const bool is_wanted = word(0).load(memory_order::relaxed) != 0;
    note(is_wanted ? handoff_clock() : 0);
  }
  __device__ void finish() { counts_.finish(); }

 private:
  __device__ void note(std::uint32_t time) {
    word(1).store(time, memory_order::relaxed);
    word(2).store(time, memory_order::relaxed);
  }
  __device__ atomic_ref<std::uint32_t, scope::block> word(unsigned which) const {
    return atomic_ref<std::uint32_t, scope::block>(words_[words_per_lock * lock_ + which]);
  }

  cell<std::uint32_t>* words_;
  handoff_counts counts_;
  std::uint32_t lock_ = 0;
};

/// The host's side.
template <class Observer>
class handoff_record {
 public:
  explicit handoff_record(std::size_t locks)
      : words_(Observer::words_per_lock * locks), totals_(2 * 2 + 1) {
    words_.fill_bytes(0);
    totals_.fill_bytes(0);
  }

  Observer watch() const { return {words_.device_data(), totals_.device_data()}; }

  /// \param sections of the run.
  bench::counters describe(double sections) const {
    const auto sums = totals_.to_host();
    expect_plausible(sums[0] == sums[2] && sums[1] == sums[3],
                     "a thread's counts of hand-offs are lost");
    expect_plausible(static_cast<double>(sums[4]) <= sections / 50,
                     std::to_string(sums[4]) + " times of release are lost");
    bench::counters seen = {
        {"lock_transfers_per_operation", static_cast<double>(sums[0]) / sections}};
    const gpu_properties gpu = current_gpu();
    if (sums[0] == 0 || gpu.simulated) return seen;  // the executor's clock is nominal
    expect_plausible(sums[1] != 0, "hand-offs took no time");
    const double ns = static_cast<double>(sums[1]) / static_cast<double>(sums[0]);
    seen["lock_transfer_ns"] = ns;
    seen["lock_transfer_cycles"] = ns * gpu.clock_khz * 1e-6;
    return seen;
  }

 private:
  buffer<std::uint32_t> words_;
  buffer<std::uint64_t> totals_;
};

}  // namespace finesync::workload
