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

  void wait(memory_order order) {
    const inside_operation now(launch_.turns, op_kind::cluster_barrier, scope::cluster);
    thread& self = *current;
    const cluster_state& cluster = launch_.resident.cluster_of(*self.block);
    barrier& its = of(cluster);
    if (releases(order))
      launch_.memory->publish(self, scope::cluster);
    else
      launch_.memory->publish_released(self);
    its.all_release = its.all_release && releases(order);
    self.state = thread_state::at_cluster_barrier;
    if (++its.arrived < cluster.live) {
      launch_.turns.wait_as(thread_state::at_cluster_barrier);
    } else {
      open(cluster);
      launch_.progress.pass();
    }
  }
  /// A thread of the cluster has ended, which counts as arriving: it blocks no barrier.
  void leave(const cluster_state& cluster) {
    if (cluster.live > 0 && of(cluster).arrived == cluster.live) open(cluster);
  }
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
  void open(const cluster_state& cluster) {
    meeting_.clear();
    for (thread& t : launch_.resident.threads_of(cluster)) {
      if (t.state != thread_state::at_cluster_barrier) continue;
      launch_.memory->fence(t, memory_order::acquire, scope::cluster);
      meeting_.push_back(t.number);
      launch_.turns.make_runnable(t);
    }
    if (launch_.races) {
      launch_.races->note_cluster_barrier(
          std::span(launch_.resident.blocks)
              .subspan(cluster.first_slot, launch_.resident.grid.cluster_blocks()));
      launch_.races->meet(meeting_,
                          of(cluster).all_release ? memory_order::acq_rel : memory_order::relaxed,
                          scope::cluster);
    }
    of(cluster) = {};
  }

  running_launch& launch_;
  std::vector<barrier> all_;
  std::vector<std::uint32_t> meeting_;  ///< threads at a barrier, for the race detector
};

}  // namespace simt
