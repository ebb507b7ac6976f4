// SPDX-License-Identifier: Apache-2.0
// The barrier of a cluster's threads (PTX ISA, "barrier.cluster").
#pragma once

#include <simt/memory/running_launch.hpp>

#include <cstdint>
#include <vector>

namespace simt {

class cluster_barriers {
 public:
  explicit cluster_barriers(running_launch& launch)
      : launch_(launch), all_(launch.resident.clusters.size()) {}

  void wait(memory_order order);
  /// A thread of the cluster has ended, which counts as arriving: it blocks no barrier.
  void leave(const cluster_state& cluster);
  /// Another cluster takes the slot.
  void begin(const cluster_state& cluster) { of(cluster) = {}; }

 private:
  struct barrier {
    std::uint32_t arrived = 0;
    bool all_release = true;  ///< of the arrivals so far
  };
  barrier& of(const cluster_state& cluster) {
    return all_[static_cast<std::size_t>(&cluster - launch_.resident.clusters.data())];
  }
  void open(const cluster_state& cluster);

  running_launch& launch_;
  std::vector<barrier> all_;
  std::vector<std::uint32_t> meeting_;  ///< threads at a barrier, for the race detector
};

}  // namespace simt
