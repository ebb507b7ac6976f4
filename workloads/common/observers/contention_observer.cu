#include "clock_tick.hpp"
#include "contention_observer.cuh"

#include <finesync/host/gpu.cuh>
#include <workloads/common/outcomes.hpp>

#include <string>

namespace finesync::workload {

bench::counters counters_of(const contention_record& record, double operations, bool orders_all) {
  const contention_totals sums = record.totals();
  expect_plausible(!orders_all || 50 * sums.lost <= sums.acquisitions,
                   std::to_string(sums.lost) + " times of release are lost");
  const gpu_properties gpu = current_gpu();
  bench::counters seen;
  seen["lock_retries_per_operation"] = static_cast<double>(sums.retries) / operations;
  seen["lock_acquisitions_per_operation"] = static_cast<double>(sums.acquisitions) / operations;
  if (gpu.simulated) return seen;  // its clock is nominal
  if (orders_all && sums.transfers > 0) {
    const double ns = static_cast<double>(sums.transfer_ns) / static_cast<double>(sums.transfers);
    seen["lock_transfer_ns"] = ns;
    seen["lock_transfer_cycles"] = ns * gpu.clock_khz * 1e-6;
    seen["lock_transfers_per_operation"] = static_cast<double>(sums.transfers) / operations;
  }
  seen["clock_tick_ns"] = clock_tick_ns();
  seen["wait_p50_ns"] = record.wait_quantile_ns(0.5);
  seen["wait_p99_ns"] = record.wait_quantile_ns(0.99);
  seen["wait_max_ns"] = static_cast<double>(sums.longest_wait_ns);
  return seen;
}

}  // namespace finesync::workload
