// SPDX-License-Identifier: Apache-2.0
// Named barriers: every arrival is a release, every wait an acquire. Number 0 is the barrier of
// __syncthreads() too. As long as no thread comes to it by its number, collectives.cpp handles it.
#include <simt/executor.hpp>

#include <utility>

namespace simt {

void executor::named_barrier(std::uint32_t number, std::uint32_t threads, bool waits) {
  inside_ = true;
  thread& self = *current;
  begin_operation(op_kind::named_barrier, scope::block, space::none);
  if (number >= named_barriers || threads == 0 || threads % warp_size != 0)
    fail({.kind = fault_kind::misused_barrier, .subject = &self, .bytes = threads, .lane = number});
  if (number == 0 && self.block->at_barrier > 0) call_by_number(*self.block);
  arrive(number, threads, waits);
  inside_ = false;
}

/// The threads at __syncthreads() wait at barrier 0 from now on.
void executor::call_by_number(block_state& block) {
  named_barrier_state& barrier = named_barrier_of(block, 0);
  barrier.expected = slots_per_block_;
  for (std::uint32_t i = 0; i < block.threads; ++i) {
    const thread& t = threads_[block.first_thread + i];
    if (t.state == thread_state::at_barrier) come_to(barrier, t, true);
  }
  block.at_barrier = 0;
}

void executor::come_to(named_barrier_state& barrier, const thread& by, bool waits) {
  if (races_) races_->hand_on(by, barrier.handed_on);
  if (waits) barrier.waiting.push_back(by.number);
  ++barrier.arrived;
}

void executor::arrive(std::uint32_t number, std::uint32_t threads, bool waits) {
  thread& self = *current;
  named_barrier_state& barrier = named_barrier_of(*self.block, number);
  if (barrier.arrived == 0) barrier.expected = threads;
  if (barrier.expected != threads)
    fail({.kind = fault_kind::misused_barrier, .subject = &self, .bytes = threads, .lane = number});
  memory_->publish(self, scope::block);
  come_to(barrier, self, waits);
  const bool opens = barrier.arrived == due_at(barrier);
  if (opens) open_named_barrier(*self.block, number);
  if (opens || !waits) {
    check_progress();
    reschedule();
  } else {
    wait_as(thread_state::at_named_barrier);
  }
}

/// Warps count as whole, also the last one of a block, which may have fewer lanes.
std::uint32_t executor::due_at(const named_barrier_state& barrier) const {
  return barrier.expected == slots_per_block_ ? threads_per_block_ : barrier.expected;
}

void executor::open_named_barrier(block_state& block, std::uint32_t number) {
  if (number == 0) block.verdict = std::exchange(block.votes, 0);
  named_barrier_state& barrier = named_barrier_of(block, number);
  for (const std::uint32_t slot : barrier.waiting) {
    thread& t = threads_[slot];
    memory_->fence(t, memory_order::acquire, scope::block);
    if (races_) races_->learn(t, *barrier.handed_on);
    if (&t != current) make_runnable(t);
  }
  barrier = {};
}

}  // namespace simt
