// Named barriers: every arrival is a release, every wait an acquire.
#include <simt/executor.hpp>

namespace simt {

named_barrier_state& executor::named_barrier_of(const block_state& block, std::uint32_t number) {
  return named_barriers_[static_cast<std::size_t>(&block - blocks_.data()) * named_barriers +
                         number];
}

void executor::named_barrier(std::uint32_t number, std::uint32_t threads, bool waits) {
  inside_ = true;
  thread& self = *current;
  begin_operation(op_kind::named_barrier, scope::block, space::none);
  if (number >= named_barriers || threads == 0 || threads % warp_size != 0)
    fail({.kind = fault_kind::misused_barrier, .subject = &self, .bytes = threads, .lane = number});
  named_barrier_state& barrier = named_barrier_of(*self.block, number);
  if (barrier.arrived == 0) barrier.expected = threads;
  if (barrier.expected != threads)
    fail({.kind = fault_kind::misused_barrier, .subject = &self, .bytes = threads, .lane = number});
  memory_->fence(self, memory_order::release, scope::block);
  if (races_) races_->hand_on(self, barrier.handed_on);
  if (waits) barrier.waiting.push_back(self.number);
  const bool opens = ++barrier.arrived == barrier.expected;
  if (opens) open_named_barrier(barrier);
  if (opens || !waits) {
    check_progress();
    reschedule();
  } else {
    wait_as(thread_state::at_named_barrier);
  }
  inside_ = false;
}

void executor::open_named_barrier(named_barrier_state& barrier) {
  for (const std::uint32_t number : barrier.waiting) {
    thread& t = threads_[number];
    memory_->fence(t, memory_order::acquire, scope::block);
    if (races_) races_->learn(t, *barrier.handed_on);
    if (&t != current) make_runnable(t);
  }
  barrier = {};
}

}  // namespace simt
