// A watchdog per GPU, for waits on other GPUs: each keeps its state in its own GPU's memory, so
// that a late wait does not load the link. Together they tell which GPU and which block never
// arrived.
#pragma once

#include "finesync/host/machine.cuh"
#include "finesync/host/peers.cuh"
#include "finesync/host/watchdog.cuh"
#include "finesync/several_gpus/waiting_gpus.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

namespace finesync::inline FINESYNC_ABI {

/// Movable, not copyable.
class gpus_watchdog {
 public:
  explicit gpus_watchdog(const peers& all, std::uint64_t limit_ns = default_watchdog_ns()) {
    for (const stream& each : all.streams()) of_gpu_.emplace_back(limit_ns, each);
    all.synchronize();
  }

  watchdog_ref ref(unsigned me) const { return of_gpu_[me].ref(); }

  void reset() {
    for (watchdog& each : of_gpu_) each.reset();
  }

  /// Whether a wait has timed out on any GPU. Waits for all streams.
  bool fired() const {
    return std::count_if(of_gpu_.begin(), of_gpu_.end(),
                         [](const watchdog& each) { return each.fired(); }) != 0;
  }

  /// Who waited for whom when waits timed out; empty if none did. Waits for all streams.
  std::optional<waiting_gpus> report() const {
    waiting_gpus all;
    bool any = false;
    for (const watchdog& each : of_gpu_) {
      const std::optional<wait_report> of_one = each.report();
      any = any || of_one.has_value();
      all.gpus.push_back(of_one ? of_one->all : waiting_blocks{});
    }
    if (!any) return std::nullopt;
    return all;
  }

 private:
  std::vector<watchdog> of_gpu_;
};

}  // namespace finesync::inline FINESYNC_ABI
