// Lock transfer latency: the time from one thread's release of a lock to the acquisition by a
// thread that was already waiting (ASPLOS'19, table 3). Locks that are held together are measured
// separately. Instrumented runs are never the timed ones.
#pragma once

#include <bench/experiment.hpp>
#include <finesync/device/atomic_ref.cuh>
#include <finesync/device/clock.cuh>
#include <finesync/host/buffer.cuh>
#include <finesync/host/gpu.cuh>

#include <cstddef>
#include <cstdint>

namespace finesync::atm {

/// A lock_observer (finesync/locks/observer.cuh). A lock that is acquired and released unused does
/// not count.
class handoff_observer {
 public:
  /// \param released_at time of the last release of each lock. \param totals sums over all threads:
  /// transfers, and their nanoseconds.
  handoff_observer(cell<std::uint64_t>* released_at, cell<std::uint64_t>* totals)
      : released_at_(released_at), totals_(totals) {}

  __device__ void begin(unsigned lock) {
    lock_ = lock;
    began_ = global_time_ns();
  }
  __device__ void retry() {}
  __device__ void entered() {
    // The clock first: the load is no part of the hand-off.
    const std::uint64_t now = global_time_ns();
    const std::uint64_t released = time_of_release().load(memory_order::relaxed);
    pending_ = released > began_ && now >= released ? now - released + 1 : 0;
  }
  __device__ void leaving() {
    if (pending_ != 0) {
      ns_ += pending_ - 1;
      ++transfers_;
      pending_ = 0;
    }
    time_of_release().store(global_time_ns(), memory_order::relaxed);
  }
  __device__ void finish() const {
    if (transfers_ == 0) return;
    using word = atomic_ref<std::uint64_t, scope::device>;
    word(totals_[0]).fetch_add(transfers_, memory_order::relaxed);
    word(totals_[1]).fetch_add(ns_, memory_order::relaxed);
  }

 private:
  __device__ atomic_ref<std::uint64_t, scope::device> time_of_release() const {
    return atomic_ref<std::uint64_t, scope::device>(released_at_[lock_]);
  }

  cell<std::uint64_t>* released_at_;
  cell<std::uint64_t>* totals_;
  std::uint32_t lock_ = 0;
  std::uint64_t began_ = 0;
  std::uint64_t pending_ = 0;  ///< while the lock is held: its transfer time plus 1, or 0
  std::uint64_t transfers_ = 0;
  std::uint64_t ns_ = 0;
};

/// The host's side.
class handoff_record {
 public:
  explicit handoff_record(std::size_t locks) : released_at_(locks), totals_(2) {
    released_at_.fill_bytes(0);
    totals_.fill_bytes(0);
  }

  handoff_observer observer() const { return {released_at_.device_data(), totals_.device_data()}; }

  /// \param sections number of sections of the run.
  bench::counters describe(std::uint32_t sections) const {
    const auto sums = totals_.to_host();
    bench::counters seen = {
        {"lock_transfers_per_operation", static_cast<double>(sums[0]) / sections}};
    const gpu_properties gpu = current_gpu();
    if (sums[0] == 0 || gpu.simulated) return seen;  // its clock is nominal
    const double ns = static_cast<double>(sums[1]) / static_cast<double>(sums[0]);
    seen["lock_transfer_ns"] = ns;
    seen["lock_transfer_cycles"] = ns * gpu.clock_khz * 1e-6;
    return seen;
  }

 private:
  buffer<std::uint64_t> released_at_;
  buffer<std::uint64_t> totals_;
};

}  // namespace finesync::atm
