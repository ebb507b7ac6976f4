// SPDX-License-Identifier: Apache-2.0
// A watchdog per GPU, for waits on other GPUs: each keeps its state in its own GPU's memory, so
// that a late wait does not load the link. Together they tell which GPU and which block never
// arrived.
#pragma once

#include "finesync/host/machine.cuh"
#include "finesync/host/peers.cuh"
#include "finesync/host/watchdog.cuh"
#include "finesync/several_gpus/waiting_gpus.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace finesync::inline FINESYNC_ABI {

/// Movable, not copyable; does not outlive its peers.
class gpus_watchdog {
 public:
  /// The machine's own limit, as watchdog().
  explicit gpus_watchdog(const peers& all) : all_(&all) {
    for (const stream& each : all.streams()) of_gpu_.emplace_back(each);
    all.synchronize();
  }
  gpus_watchdog(const peers& all, std::uint64_t limit_ns) : all_(&all) {
    for (const stream& each : all.streams()) of_gpu_.emplace_back(limit_ns, each);
    all.synchronize();
  }

  /// \param me of this process.
  watchdog_ref ref(unsigned me) const { return of_gpu_[me - all_->first()].ref(); }

  void reset() {
    for (watchdog& each : of_gpu_) each.reset();
  }

  /// Whether a wait has timed out on any GPU. Waits for all streams.
  bool fired() const { return report().has_value(); }

  /// Who waited for whom when waits timed out; empty if none did. Waits for all streams.
  std::optional<waiting_gpus> report() const {
    std::vector<summary> own;
    std::vector<std::vector<late_wait>> own_waits;
    for (const watchdog& each : of_gpu_) {
      const std::optional<wait_report> of_one = each.report();
      own.push_back({of_one.has_value(), of_one ? of_one->all.blocks : 0});
      own_waits.push_back(of_one ? of_one->all.waits : std::vector<late_wait>());
    }
    const std::vector<summary> of_all = all_->gather(own);
    if (std::none_of(of_all.begin(), of_all.end(), [](const summary& one) { return one.fired; }))
      return std::nullopt;
    const auto waits = all_->gather_lists(own_waits);
    waiting_gpus all;
    for (std::size_t gpu = 0; gpu < of_all.size(); ++gpu)
      all.gpus.push_back({of_all[gpu].blocks, waits[gpu]});
    return all;
  }

 private:
  struct summary {
    bool fired;
    unsigned blocks;
  };

  const peers* all_;
  std::vector<watchdog> of_gpu_;
};

}  // namespace finesync::inline FINESYNC_ABI
