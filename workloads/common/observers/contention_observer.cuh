// Observes contention for a table of locks in an instrumented run: failed attempts, waiting times,
// and lock transfer latency (from one holder's release to the next acquisition). It costs a clock
// read and a store per acquisition, so its runs are never the timed ones.
#pragma once

#include <bench/experiment.hpp>
#include <finesync/device/atomic_ref.cuh>
#include <finesync/device/clock.cuh>
#include <finesync/host/buffer.cuh>
#include <workloads/common/observers/wait_histogram.cuh>

#include <algorithm>
#include <cstdint>
#include <string>

namespace finesync::workload {

/// Sums over all threads.
struct contention_totals {
  std::uint64_t acquisitions;
  std::uint64_t retries;
  std::uint64_t transfers;    ///< acquisitions of a lock that was released during the wait
  std::uint64_t transfer_ns;  ///< sum of the times from release to acquisition
  std::uint64_t lost;         ///< acquisitions that saw but half of the last release's time
  std::uint64_t longest_wait_ns;
};

/// The observer of one thread: copy the kernel's argument in each thread, and call finish() at the
/// end.
class contention_observer {
 public:
  /// \param released_at time of the last release of each lock. \param histogram `bins` per block.
  /// \param totals those of contention_totals. Times and totals are there twice: a lost one shows.
  contention_observer(cell<std::uint64_t>* released_at, cell<std::uint32_t>* histogram,
                      cell<std::uint64_t>* totals)
      : released_at_(released_at), histogram_(histogram), totals_(totals) {}

  __device__ void begin(unsigned lock) {
    lock_ = lock;
    began_ = global_time_ns();
  }
  __device__ void retry() { ++retries_; }

  // Not plain accesses: a value-passing lock does not order other data. If the load returns an old
  // time, the transfer is not counted.
  __device__ void entered() {
    const std::uint64_t released = released_at(0).load(memory_order::relaxed);
    lost_ += released != released_at(1).load(memory_order::relaxed);
    const std::uint64_t now = global_time_ns();
    // A lock that was free when the wait began has no transfer latency.
    if (released > began_ && now >= released) {
      transfer_ns_ += now - released;
      ++transfers_;
    }
    const std::uint64_t waited = now - began_;
    if (waited > longest_wait_ns_) longest_wait_ns_ = waited;
    ++acquisitions_;
    const unsigned bin = blockIdx.x * wait_histogram::bins + wait_histogram::bin_of(waited);
    atomic_ref<std::uint32_t, scope::device>(histogram_[bin]).fetch_add(1, memory_order::relaxed);
  }
  __device__ void leaving() {
    const std::uint64_t now = global_time_ns();
    for (unsigned copy = 0; copy < 2; ++copy) released_at(copy).store(now, memory_order::relaxed);
  }

  __device__ void finish() {
    add(0, acquisitions_);
    add(1, retries_);
    add(2, transfers_);
    add(3, transfer_ns_);
    add(4, lost_);
    for (unsigned copy = 0; copy < 2; ++copy)
      atomic_ref<std::uint64_t, scope::device>(totals_[6 * copy + 5])
          .fetch_max(longest_wait_ns_, memory_order::relaxed);
  }

 private:
  __device__ atomic_ref<std::uint64_t, scope::device> released_at(unsigned copy) const {
    return atomic_ref<std::uint64_t, scope::device>(released_at_[2 * lock_ + copy]);
  }
  __device__ void add(unsigned which, std::uint64_t amount) {
    if (amount == 0) return;
    for (unsigned copy = 0; copy < 2; ++copy)
      atomic_ref<std::uint64_t, scope::device>(totals_[6 * copy + which])
          .fetch_add(amount, memory_order::relaxed);
  }

  cell<std::uint64_t>* released_at_;
  cell<std::uint32_t>* histogram_;
  cell<std::uint64_t>* totals_;
  unsigned lock_ = 0;
  std::uint64_t began_ = 0;
  std::uint64_t acquisitions_ = 0;
  std::uint64_t retries_ = 0;
  std::uint64_t transfers_ = 0;
  std::uint64_t transfer_ns_ = 0;
  std::uint64_t lost_ = 0;
  std::uint64_t longest_wait_ns_ = 0;
};

/// The host's side: memory and results of the observers of one kernel.
class contention_record {
 public:
  contention_record(std::size_t locks, unsigned blocks)
      : released_at_(2 * locks),
        histogram_(std::size_t{blocks} * wait_histogram::bins),
        totals_(2 * 6) {
    released_at_.fill_bytes(0);
    histogram_.fill_bytes(0);
    totals_.fill_bytes(0);
  }

  contention_observer probe() const {
    return {released_at_.device_data(), histogram_.device_data(), totals_.device_data()};
  }

  /// \throws bench::failed_run if they cannot be right.
  contention_totals totals() const {
    const auto sums = totals_.to_host();
    const contention_totals all{sums[0], sums[1], sums[2], sums[3], sums[4], sums[5]};
    expect_plausible(std::equal(sums.begin(), sums.begin() + 6, sums.begin() + 6),
                     "a thread's counts of a lock are lost");
    expect_plausible(all.transfers <= all.acquisitions,
                     std::to_string(all.transfers) + " transfers of a lock in " +
                         std::to_string(all.acquisitions) + " acquisitions");
    wait_histogram::expect_waits(histogram_.to_host(), all.acquisitions, all.longest_wait_ns);
    return all;
  }

  /// Upper end of the bin below which `fraction` (0 to 1) of all waits lie, in nanoseconds; 0 if
  /// there were none.
  double wait_quantile_ns(double fraction) const {
    return wait_histogram::quantile_ns(histogram_.to_host(), fraction);
  }

 private:
  buffer<std::uint64_t> released_at_;
  buffer<std::uint32_t> histogram_;
  buffer<std::uint64_t> totals_;
};

/// Counters of a row, for one observed run of that many operations: retries and acquisitions per
/// operation; on a GPU also quantiles of the waits and, of locks that order all that their holders
/// write, the lock transfer latency.
bench::counters counters_of(const contention_record& record, double operations,
                            bool orders_all = true);

}  // namespace finesync::workload
