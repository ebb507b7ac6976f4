// SPDX-License-Identifier: Apache-2.0
#include <simt/objects/cluster_barriers.hpp>

namespace simt {

void cluster_barriers::wait(memory_order order) {
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

void cluster_barriers::leave(const cluster_state& cluster) {
  if (cluster.live > 0 && of(cluster).arrived == cluster.live) open(cluster);
}

void cluster_barriers::open(const cluster_state& cluster) {
  meeting_.clear();
  for (thread& t : launch_.resident.threads_of(cluster)) {
    if (t.state != thread_state::at_cluster_barrier) continue;
    launch_.memory->fence(t, memory_order::acquire, scope::cluster);
    meeting_.push_back(t.number);
    launch_.turns.make_runnable(t);
  }
  if (launch_.races) {
    launch_.races->meet(meeting_,
                        of(cluster).all_release ? memory_order::acq_rel : memory_order::relaxed,
                        scope::cluster);
  }
  of(cluster) = {};
}

}  // namespace simt
