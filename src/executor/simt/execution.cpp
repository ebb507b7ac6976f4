// SPDX-License-Identifier: Apache-2.0
#include <simt/execution.hpp>

#include <fmt/format.h>

#include <stdexcept>
#include <utility>

namespace simt {

namespace {

thread_local launch_result latest;

}  // namespace

settings& initial_settings() {
  static settings of_process;
  return of_process;
}

settings& current_settings() {
  thread_local settings mine = initial_settings();
  return mine;
}

const launch_result& last_launch() {
  return latest;
}

launch_result run(const grid_shape& grid, void (*entry)(void*), void* context) {
  const grid_on_gpu alone{.context = context};
  return run_together(grid, {&alone, 1}, entry);
}

launch_result run_together(const grid_shape& each, std::span<const grid_on_gpu> grids,
                           void (*entry)(void*)) {
  if (active_execution != nullptr) throw std::logic_error("a kernel cannot launch a kernel");
  thread_local stack_pool stacks;
  const auto all = std::make_unique<execution>(current_settings(), each, grids, stacks);
  return latest = all->run(entry);
}

execution::execution(const settings& how, const grid_shape& grid,
                     std::span<const grid_on_gpu> grids, stack_pool& stacks)
    : launch(how, grid, grids, stacks),
      accesses(launch),
      block_barriers(launch),
      cluster_barriers(launch),
      collectives(launch),
      async_threads(launch, fiber_main) {
  if (!launch.how.on_race) return;
  // A race is described on the OS thread's stack, which is large.
  const auto show = [this] {
    racing_ = current;
    launch.turns.return_to_host();
  };
  if (launch.races) launch.races->go_on_after_races(show, launch.how.unset_reads);
  if (launch.how.unset_reads) accesses.unset.report_by(show);
}

launch_result execution::run(void (*entry)(void*)) {
  entry_ = entry;
  watch_wild_accesses();
  struct activation {
    explicit activation(execution* which) { active_execution = which; }
    ~activation() {
      active_execution = nullptr;
      current = nullptr;
    }
  } active(this);

  for (cluster_state& slot : launch.resident.clusters) start_cluster(slot);
  while (launch.turns.live() > 0) {
    launch.turns.run();
    while (racing_ != nullptr) {
      launch.how.on_race(accesses.unset.is_found() ? accesses.unset.taken()
                                                   : launch.races->found());
      launch.turns.run(*std::exchange(racing_, nullptr));
    }
    if (escaped_) std::rethrow_exception(escaped_);
    if (launch.turns.failed()) throw execution_error(diagnosed());
    if (retired_ != nullptr && !launch.resident.has_started_all()) start_cluster(*retired_);
    retired_ = nullptr;
  }
  launch.memory->settle();
  return {launch.turns.counts, launch.turns.time() >> thread_turns::time_bits};
}

void execution::start_cluster(cluster_state& slot) {
  resident_blocks& resident = launch.resident;
  resident.start(slot, launch.random);
  cluster_barriers.begin(slot);
  for (std::uint32_t i = 0; i < resident.grid.cluster_blocks(); ++i) {
    const block_state& block = resident.blocks[slot.first_slot + i];
    block_barriers.begin(block);
    collectives.begin(block);
    launch.turns.add_live(block.threads);
    for (thread& t : resident.threads_of(block)) {
      if (launch.races) launch.races->start(t);
      launch.turns.begin(t, fiber_main);
    }
    if (launch.races) launch.races->forget(block.shared, resident.shared_stride);
  }
}

void execution::fiber_main(fiber_transfer arrival) {
  execution& self = *active_execution;
  self.launch.turns.arrive_from(arrival);
  self.launch.turns.inside = false;
  try {
    if (current->started_by != nullptr)
      self.async_threads.perform_body();
    else
      self.entry_(self.launch.resident.layout.grid_of(current->block->number).context);
  } catch (...) {
    self.escaped_ = std::current_exception();
  }
  self.launch.turns.inside = true;
  self.finish_current();
  self.launch.turns.leave();
}

void execution::finish_current() {
  const thread& self = *current;
  if (escaped_) launch.turns.return_to_host();
  const bool is_async = self.started_by != nullptr;
  if (!is_async) {
    block_barriers.check_leaving(self);
    collectives.check_leaving(self);
  }
  launch.turns.finish_current();
  launch.progress.note();
  cluster_state& cluster = launch.resident.cluster_of(*self.block);
  if (is_async) {
    async_threads.finish_current();
  } else {
    self.warp->live &= ~(1u << self.lane);
    collectives.leave(self);
    if (--self.block->live == 0) accesses.retire(*self.block);
    --cluster.live;
    cluster_barriers.leave(cluster);
  }
  if (cluster.live > 0 || cluster.async_threads > 0) return;
  async_threads.forget(cluster);
  if (launch.turns.live() > 0 && launch.resident.has_started_all()) return;
  retired_ = &cluster;
  launch.turns.return_to_host();
}

fault execution::diagnosed() {
  using enum fault_kind;
  failure what = *launch.turns.failed();
  if (what.kind == deadlock) what = collectives.explain_deadlock();
  fault found{.kind = what.kind};
  if (what.subject != nullptr)
    found.threads = {
        {launch.resident.name_of(*what.subject), launch.turns.place_of(*what.subject)}};
  switch (what.kind) {
    case divergent_barrier:
    case misused_barrier:
      block_barriers.explain(what, found);
      return found;
    case wrong_warp_mask:
      collectives.explain(what, found);
      return found;
    case raw_polling:
    case stack_overflow:
      launch.turns.explain(what, found);
      return found;
    case race:
      if (what.address == nullptr) {
        fault shown = launch.races->found();
        shown.threads.front().site.callers = std::move(found.threads.front().site.callers);
        return shown;
      }
      [[fallthrough]];
    case misaligned:
      accesses.explain(what, found);
      return found;
    case bad_address:
      if (what.subject->late_at != nullptr)
        async_threads.explain(what, accesses, found);
      else
        accesses.explain(what, found);
      return found;
    case deadlock:
      found.reason = "no thread can run; ";
      break;
    case livelock:
      found.reason = "memory has not changed for long; ";
      break;
    case too_long:
      found.reason =
          fmt::format("no end within {} nominal ms; ", launch.how.longest_launch_ns / 1'000'000);
      break;
    default: {
      const resident_blocks& resident = launch.resident;
      found.reason = fmt::format("{} of {} blocks were never started because {} fit; ",
                                 resident.layout.blocks() - resident.next_block,
                                 resident.layout.blocks(), resident.blocks.size());
      found.missing = fmt::format(
          "missing: a grid of at most {} blocks (a cooperative launch would refuse more)",
          resident.blocks.size());
    }
  }
  found.reason += thread_summary();
  block_barriers.add_waiting(found);
  collectives.add_waiting(found);
  accesses.add_polls(found);
  return found;
}

/// Where live threads are, by state.
std::string execution::thread_summary() const {
  std::size_t in[thread_states] = {};
  for (const thread& t : launch.resident.threads) ++in[static_cast<std::size_t>(t.state)];
  std::string text = fmt::format("{} live threads", launch.turns.live());
  static constexpr std::pair<thread_state, const char*> listed[] = {
      {thread_state::runnable, "running"},
      {thread_state::asleep, "in nanosleep"},
      {thread_state::at_barrier, "at __syncthreads()"},
      {thread_state::at_cluster_barrier, "at the cluster's barrier"},
      {thread_state::at_named_barrier, "at named barriers"},
      {thread_state::at_collective, "at a warp collective"},
      {thread_state::at_async, "at waits for asynchronous copies"}};
  for (const auto& [state, what] : listed) {
    const std::size_t count = in[static_cast<std::size_t>(state)];
    if (count > 0) text += fmt::format(", {} {}", count, what);
  }
  return text;
}

}  // namespace simt
