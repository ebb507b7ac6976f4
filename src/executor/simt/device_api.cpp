// SPDX-License-Identifier: Apache-2.0
// The kernel's side of the executor: forwards to the objects of the execution on this OS thread.
#include <simt/device_api.hpp>
#include <simt/execution.hpp>

namespace simt {

word perform_at(const void* site, const operation& op) {
  return active_execution->accesses.perform(op, site);
}
word warp_collective_at(const void* site, collective kind, std::uint32_t mask, const word& value,
                        std::uint32_t argument) {
  current->site = site;
  return active_execution->collectives.join(kind, mask, value, argument);
}
void warp_together_at(const void* site, void* brought, joint_work once) {
  constexpr std::uint32_t all_lanes = 0xffffffff;
  warp_collective_at(
      site, collective::together, all_lanes,
      {reinterpret_cast<std::uintptr_t>(brought), reinterpret_cast<std::uintptr_t>(once)});
}
std::uint32_t converged_lanes_at(const void* site) {
  return active_execution->collectives.converge(site);
}
std::uint32_t block_barrier_at(const void* site, bool vote) {
  current->site = site;
  return active_execution->block_barriers.synchronize(vote);
}
void cluster_barrier_at(const void* site, memory_order order) {
  current->site = site;
  active_execution->cluster_barriers.wait(order);
}
void named_barrier_at(const void* site, std::uint32_t number, std::uint32_t threads, bool waits) {
  current->site = site;
  active_execution->block_barriers.come_to(number, threads, waits);
}
void begin_copy_at(const void* site, void* to, const void* from, std::size_t bytes,
                   const void* batch) {
  execution& all = *active_execution;
  all.accesses.copies.begin(all.launch, all.accesses,
                            {.to = to,
                             .from = from,
                             .bytes = static_cast<std::uint8_t>(bytes),
                             .thread = current->number,
                             .batch = batch,
                             .site = site});
}
void wait_for_copies_at(const void* site, const void* batch) {
  execution& all = *active_execution;
  all.accesses.copies.wait(all.launch, all.accesses, batch, site);
}
void pass_loop_at(const void* site) {
  if (--watched.left >= 0) return;
  active_execution->launch.turns.enter_basic_block(
      reinterpret_cast<std::uintptr_t>(site),
      reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0)));
}

word perform(const operation& op) {
  return perform_at(__builtin_return_address(0), op);
}

word warp_collective(collective kind, std::uint32_t mask, const word& value,
                     std::uint32_t argument) {
  return warp_collective_at(__builtin_return_address(0), kind, mask, value, argument);
}

// Out of line, so that the return address identifies the place in the kernel.
__attribute__((noinline)) std::uint32_t converged_lanes() {
  return converged_lanes_at(__builtin_return_address(0));
}
std::uint32_t block_barrier(bool vote) {
  return block_barrier_at(__builtin_return_address(0), vote);
}
void cluster_barrier(memory_order order) {
  cluster_barrier_at(__builtin_return_address(0), order);
}
void named_barrier(std::uint32_t number, std::uint32_t threads, bool waits) {
  named_barrier_at(__builtin_return_address(0), number, threads, waits);
}
void begin_copy(void* to, const void* from, std::size_t bytes, const void* batch) {
  begin_copy_at(__builtin_return_address(0), to, from, bytes, batch);
}
void wait_for_copies(const void* batch) {
  wait_for_copies_at(__builtin_return_address(0), batch);
}
void note_arrival_counter(const void* word, std::uint32_t arrivals_per_phase) {
  active_execution->accesses.note_arrival_counter(word, arrivals_per_phase);
}
void note_wait(const void* where, std::uint64_t seen, std::uint64_t wanted) {
  current->wait = {where, seen, wanted, current->polls};
}
void note_lock(const void* lock, bool held) {
  if (active_execution->launch.races)
    active_execution->launch.races->note_lock(*current, lock, held);
}
std::uint32_t cluster_blocks() {
  return active_execution->launch.resident.grid.cluster_blocks();
}
coordinates cluster_extents() {
  return active_execution->launch.resident.grid.cluster;
}
std::uint32_t cluster_rank() {
  return current->block->rank;
}
void* in_block(void* own, std::uint32_t rank) {
  return active_execution->accesses.in_block(own, rank);
}
coordinates grid_blocks() {
  return active_execution->launch.resident.grid.blocks;
}
coordinates block_threads() {
  return active_execution->launch.resident.grid.threads;
}
std::byte* shared_storage() {
  return current->block->shared;
}
void start_async_at(const void* site, async_work work) {
  active_execution->async_threads.start(std::move(work), site);
}
void end_async_reads() {
  active_execution->async_threads.end_reads();
}
void wait_for_async(const void* batch, async_part part) {
  active_execution->async_threads.wait(batch, part);
}
void proxy_fence() {
  if (active_execution->launch.races) active_execution->launch.races->proxy_fence(*current);
}
std::uint64_t clock_ns() {
  return active_execution->launch.turns.read_clock_ns();
}

}  // namespace simt
