// Observes the waiting time of each block if several may be inside at once (contention_observer
// needs an exclusive section). It costs two clock reads and an addition per acquisition, so its
// runs are never the timed ones.
#pragma once

#include <finesync/device/atomic_ref.cuh>
#include <finesync/device/clock.cuh>
#include <finesync/host/buffer.cuh>
#include <workloads/common/observers/wait_histogram.cuh>
#include <workloads/common/outcomes.hpp>

#include <string>

namespace finesync::workload {

/// The observer of one thread, for run_exclusive() and similar functions: one copy per thread, with
/// finish() at the end.
class wait_observer {
 public:
  /// \param histogram `bins` per block. \param longest one word for all blocks.
  wait_observer(cell<std::uint32_t>* histogram, cell<std::uint64_t>* longest)
      : histogram_(histogram), longest_(longest) {}

  __device__ void begin(unsigned /*object*/) { began_ = global_time_ns(); }
  __device__ void retry() {}
  __device__ void entered() {
    const std::uint64_t waited = global_time_ns() - began_;
    if (waited > longest_wait_ns_) longest_wait_ns_ = waited;
    const unsigned bin =
        blockIdx.x * workload::wait_histogram::bins + workload::wait_histogram::bin_of(waited);
    atomic_ref<std::uint32_t, scope::device>(histogram_[bin]).fetch_add(1, memory_order::relaxed);
  }
  __device__ void leaving() {}
  __device__ void finish() {
    atomic_ref<std::uint64_t, scope::device>(*longest_).fetch_max(longest_wait_ns_,
                                                                  memory_order::relaxed);
  }

 private:
  cell<std::uint32_t>* histogram_;
  cell<std::uint64_t>* longest_;
  std::uint64_t began_ = 0;
  std::uint64_t longest_wait_ns_ = 0;
};

/// The host's side: memory and results of the observers of one kernel.
class wait_record {
 public:
  explicit wait_record(unsigned blocks);

  wait_observer probe() const { return {histogram_.device_data(), longest_.device_data()}; }

  /// Adds `wait_p50_ns`, `wait_p99_ns`, `wait_max_ns` and `clock_tick_ns` to the counters of a row;
  /// for a kernel that timed out, only `fairness_run_timed_out`. \returns whether it did not time
  /// out. \param acquisitions of all blocks. \param what instead of "wait". \throws
  /// bench::failed_run for a kernel with a wrong result, or another number of waits.
  bool report(const bench::outcome& ended, std::uint64_t acquisitions, bench::counters& seen,
              const std::string& what = "wait") const;

 private:
  buffer<std::uint32_t> histogram_;
  buffer<std::uint64_t> longest_;
};

}  // namespace finesync::workload
