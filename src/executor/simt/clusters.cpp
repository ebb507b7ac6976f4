// SPDX-License-Identifier: Apache-2.0
// Clusters: the barrier of their blocks and their shared memory.
#include <simt/executor.hpp>

namespace simt {

/// Ending counts as arriving (PTX ISA, "barrier.cluster"), so an ended thread blocks no barrier.
void executor::cluster_barrier(memory_order order) {
  inside_ = true;
  thread& self = *current;
  cluster_state& cluster = cluster_of(*self.block);
  begin_operation(op_kind::cluster_barrier, scope::cluster, space::none);
  if (releases(order))
    memory_->publish(self, scope::cluster);
  else
    memory_->publish_released(self);
  cluster.all_release = cluster.all_release && releases(order);
  self.state = thread_state::at_cluster_barrier;
  if (++cluster.at_barrier < cluster.live) {
    wait_as(thread_state::at_cluster_barrier);
  } else {
    open_cluster_barrier(cluster);
    check_progress();
    reschedule();
  }
  inside_ = false;
}

void executor::open_cluster_barrier(cluster_state& cluster) {
  cluster.at_barrier = 0;
  const std::uint32_t first = blocks_[cluster.first_slot].first_thread;
  meeting_.clear();
  for (std::uint32_t i = 0; i < grid_.cluster_blocks * slots_per_block_; ++i) {
    thread& t = threads_[first + i];
    if (t.state != thread_state::at_cluster_barrier) continue;
    memory_->fence(t, memory_order::acquire, scope::cluster);
    if (races_) meeting_.push_back(t.number);
    make_runnable(t);
  }
  if (races_) {
    races_->meet(meeting_, cluster.all_release ? memory_order::acq_rel : memory_order::relaxed,
                 scope::cluster);
  }
  cluster.all_release = true;
}

block_state* executor::block_with(const thread& by, const void* shared) {
  const block_state* const found = owner_in_cluster(by, static_cast<const std::byte*>(shared), 1);
  if (found == nullptr)
    fail({.kind = fault_kind::bad_address, .subject = current, .address = shared, .bytes = 1});
  return &blocks_[static_cast<std::size_t>(found - blocks_.data())];
}

/// The program gets the address that `mapa` would compute; each access checks it.
void* executor::in_block(void* own, std::uint32_t rank) {
  const block_state& block = *current->block;
  auto* at = static_cast<std::byte*>(own);
  if (at < block.shared || at >= block.shared_end || rank >= grid_.cluster_blocks) {
    inside_ = true;
    fail({.kind = fault_kind::bad_address, .subject = current, .address = own, .bytes = 1});
  }
  return blocks_[cluster_of(block).first_slot + rank].shared + (at - block.shared);
}

/// The block of `by`'s cluster, live or ended, to whose shared memory all bytes belong.
const block_state* executor::owner_in_cluster(const thread& by, const std::byte* at,
                                              std::size_t bytes) const {
  const auto belongs_to = [&](const block_state& block) {
    return at >= block.shared && at < block.shared_end &&
           bytes <= static_cast<std::size_t>(block.shared_end - at);
  };
  if (belongs_to(*by.block)) return by.block;
  const std::uint32_t first = clusters_[cluster_slot(*by.block)].first_slot;
  for (std::uint32_t rank = 0; rank < grid_.cluster_blocks; ++rank) {
    const block_state& block = blocks_[first + rank];
    if (belongs_to(block)) return &block;
  }
  return nullptr;
}

}  // namespace simt
