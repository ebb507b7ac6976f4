// What experiments on several GPUs share: the timed start, the end, and what their rows tell.
#pragma once

#include <bench/experiment.hpp>
#include <finesync/host/launch.cuh>
#include <finesync/host/peers.cuh>
#include <finesync/host/stream.cuh>
#include <finesync/several_gpus/gpus_watchdog.cuh>
#include <workloads/common/effective_parameters.hpp>

#include <set>
#include <vector>

namespace finesync::workload {

/// Queues work on all GPUs, between what is queued in the default stream before and after: the
/// harness takes the time there.
template <class Start>
void start_timed(const peers& all, const Start& start) {
  std::vector<stream> timed{stream()};
  timed.insert(timed.end(), all.streams().begin(), all.streams().end());
  join_streams(timed);
  start();
  join_streams(timed);
}

/// Waits for all GPUs. \returns ok, or that a wait timed out and who waited for whom.
inline bench::outcome ending_of(const peers& all, const gpus_watchdog& timeout) {
  all.synchronize();
  if (const auto late = timeout.report())
    return {.what = bench::status::timeout, .reason = to_string(*late)};
  return {};
}

/// With the number of devices: several grids may share one.
inline bench::parameters with_devices_of(const peers& all, bench::parameters effective) {
  std::set<int> devices;
  for (const stream& each : all.streams()) devices.insert(each.device());
  add_parameter(effective, "devices", static_cast<unsigned>(devices.size()));
  return effective;
}

}  // namespace finesync::workload
