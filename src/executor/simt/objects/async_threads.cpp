// SPDX-License-Identifier: Apache-2.0
#include <simt/objects/async_threads.hpp>

#include <fmt/format.h>

#include <numeric>
#include <utility>

namespace simt {

async_threads::async_threads(running_launch& launch, void (*main)(fiber_transfer))
    : launch_(launch), main_(main), free_(async_slots) {
  std::iota(free_.begin(), free_.end(), 0);
}

void async_threads::start(async_work given, const void* site) {
  const inside_operation now(launch_.turns);
  resident_blocks& resident = launch_.resident;
  thread& self = *current;
  async_work& work = starting_[self.number] = std::move(given);
  while (free_.empty()) launch_.turns.pass();
  thread& t = resident.threads[resident.first_async + free_.front()];
  t = thread{};
  t.number = resident.first_async + free_.front();
  free_.pop_front();
  t.lane = t.number % warp_size;
  t.warp = &resident.warps[t.number / warp_size];
  t.block = work.home == nullptr ? self.block : resident.owner_in_cluster(self, work.home, 1);
  if (t.block == nullptr) {
    launch_.turns.fail(
        {.kind = fault_kind::bad_address, .subject = current, .address = work.home, .bytes = 1});
  }
  t.started_by = &self;
  t.site = site;
  t.last_operation = launch_.turns.time();
  launch_.progress.note();
  async_state& state = of(t);
  state = {.body = std::move(work.body), .wait = work.wait};
  if (work.batch != nullptr) {
    state.batch = &batches_[{self.number, work.batch}];
    ++state.batch->reading;
    ++state.batch->running;
  }
  starting_.erase(self.number);
  if (launch_.races) launch_.races->start_async(t, self, *state.wait);
  ++resident.cluster_of(*t.block).async_threads;
  launch_.turns.add_live(1);
  launch_.turns.begin(t, main_);
}

void async_threads::end_reads() {
  const thread& self = *current;
  async_batch* const batch = of(self).batch;
  if (batch == nullptr) return;
  --batch->reading;
  if (launch_.races) launch_.races->hand_on(self, batch->read);
  wake_starter(self);
}

void async_threads::wake_starter(const thread& self) {
  if (self.started_by->state == thread_state::at_async)
    launch_.turns.make_runnable(*self.started_by);
}

void async_threads::finish_current() {
  const thread& self = *current;
  if (self.late_at != nullptr) {
    launch_.turns.fail(
        {.kind = fault_kind::bad_address, .subject = &self, .address = self.late_at, .bytes = 1});
  }
  if (async_batch* const batch = of(self).batch; batch != nullptr) {
    --batch->running;
    if (launch_.races) launch_.races->hand_on(self, batch->done);
    wake_starter(self);
  }
  free_.push_back(slot_of(self));
  --launch_.resident.cluster_of(*self.block).async_threads;
}

void async_threads::wait(const void* batch, async_part part) {
  const inside_operation now(launch_.turns);
  thread& self = *current;
  const auto found = batches_.find({self.number, batch});
  if (found == batches_.end()) return;
  async_batch& waited = found->second;
  const bool is_all = part == async_part::all;
  while ((is_all ? waited.running : waited.reading) > 0)
    launch_.turns.wait_as(thread_state::at_async);
  const auto& known = is_all ? waited.done : waited.read;
  if (launch_.races) launch_.races->learn(self, known);
  if (is_all) batches_.erase(found);
}

void async_threads::forget(const cluster_state& cluster) {
  const auto of_cluster = launch_.resident.threads_of(cluster);
  batches_.erase(batches_.lower_bound({of_cluster.front().number, nullptr}),
                 batches_.lower_bound({of_cluster.back().number + 1, nullptr}));
}

void async_threads::explain(const failure& what, const memory_accesses& memory, fault& to) const {
  to.address = memory.place_of(what.address);
  to.reason = fmt::format("is not complete when the block ends that has {}", to.address);
  to.missing =
      fmt::format("missing: {}, before that", all_[slot_of(*what.subject)].wait->for_writes);
}

}  // namespace simt
