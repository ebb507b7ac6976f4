// SPDX-License-Identifier: Apache-2.0
// The start and the end of async threads, and the waits for them.
#include <simt/async_threads.hpp>
#include <simt/executor.hpp>

#include <utility>

namespace simt {

void executor::start_async(async_work given, const void* site) {
  inside_ = true;
  thread& self = *current;
  async_work& work = starting_[self.number] = std::move(given);
  while (free_async_.empty()) reschedule();
  thread& t = threads_[first_async_ + free_async_.front()];
  async_state& state = async_[free_async_.front()];
  free_async_.pop_front();
  t = thread{};
  t.number = static_cast<std::uint32_t>(&t - threads_.data());
  t.lane = t.number % warp_size;
  t.warp = &warps_[t.number / warp_size];
  t.block = self.block;
  if (work.home != nullptr) t.block = block_with(self, work.home);
  t.started_by = &self;
  t.site = site;
  t.last_operation = last_progress_ = time_;
  state = {.body = std::move(work.body), .wait = work.wait};
  if (work.batch != nullptr) {
    state.batch = &batches_[{self.number, work.batch}];
    ++state.batch->reading;
    ++state.batch->running;
  }
  starting_.erase(self.number);
  if (races_) races_->start_async(t, self, *state.wait);
  ++cluster_of(*t.block).async_threads;
  set_live(live_threads_ + 1);
  begin_fiber(t);
  inside_ = false;
}

void executor::end_async_reads() {
  thread& self = *current;
  async_batch* const batch = async_of(self).batch;
  if (batch == nullptr) return;
  --batch->reading;
  if (races_) races_->hand_on(self, batch->read);
  wake_starter(self);
}

void executor::wake_starter(const thread& of) {
  if (of.started_by->state == thread_state::at_async) make_runnable(*of.started_by);
}

void executor::finish_async() {
  thread& self = *current;
  async_state& state = async_of(self);
  if (is_late(self))
    fail({.kind = fault_kind::bad_address, .subject = &self, .address = state.late_at, .bytes = 1});
  if (state.batch != nullptr) {
    --state.batch->running;
    if (races_) races_->hand_on(self, state.batch->done);
    wake_starter(self);
  }
  free_async_.push_back(self.number - first_async_);
  --cluster_of(*self.block).async_threads;
}

void executor::wait_for_async(const void* batch, async_part part) {
  inside_ = true;
  thread& self = *current;
  const auto found = batches_.find({self.number, batch});
  if (found != batches_.end()) {
    async_batch& waited = found->second;
    const bool is_all = part == async_part::all;
    while ((is_all ? waited.running : waited.reading) > 0) wait_as(thread_state::at_async);
    const auto& known = is_all ? waited.done : waited.read;
    if (races_) races_->learn(self, *known);
    if (is_all) batches_.erase(found);
  }
  inside_ = false;
}

void executor::forget_batches(const cluster_state& of) {
  const std::uint32_t first = blocks_[of.first_slot].first_thread;
  batches_.erase(batches_.lower_bound({first, nullptr}),
                 batches_.lower_bound({first + grid_.cluster_blocks * slots_per_block_, nullptr}));
}

void start_async_at(const void* site, async_work work) {
  active_executor->start_async(std::move(work), site);
}
void end_async_reads() {
  active_executor->end_async_reads();
}
void wait_for_async(const void* batch, async_part part) {
  active_executor->wait_for_async(batch, part);
}
void proxy_fence() {
  active_executor->proxy_fence();
}

}  // namespace simt
