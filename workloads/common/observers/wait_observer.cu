#include "clock_tick.hpp"
#include "wait_observer.cuh"

namespace finesync::workload {

wait_record::wait_record(unsigned blocks)
    : histogram_(std::size_t{blocks} * workload::wait_histogram::bins), longest_(1) {
  histogram_.fill_bytes(0);
  longest_.fill_bytes(0);
}

bool wait_record::report(const bench::outcome& ended, std::uint64_t acquisitions,
                         bench::counters& seen, const std::string& what) const {
  if (ended.what == bench::status::timeout) {
    seen["fairness_run_timed_out"] = 1;
    return false;
  }
  bench::expect_ok(ended);
  const auto counts = histogram_.to_host();
  const std::uint64_t longest = longest_.to_host()[0];
  wait_histogram::expect_waits(counts, acquisitions, longest);
  seen[what + "_p50_ns"] = workload::wait_histogram::quantile_ns(counts, 0.5);
  seen[what + "_p99_ns"] = workload::wait_histogram::quantile_ns(counts, 0.99);
  seen[what + "_max_ns"] = static_cast<double>(longest);
  seen["clock_tick_ns"] = clock_tick_ns();
  return true;
}

}  // namespace finesync::workload
