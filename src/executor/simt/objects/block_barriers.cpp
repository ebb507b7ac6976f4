// SPDX-License-Identifier: Apache-2.0
#include <simt/objects/block_barriers.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <utility>

namespace simt {

std::uint32_t block_barriers::synchronize(bool vote) {
  const inside_operation now(launch_.turns, op_kind::block_barrier, scope::block);
  const thread& self = *current;
  const block_state& block = *self.block;
  barriers_of_block& barriers = of(block);
  barriers.votes += vote;
  if (barriers.numbered[0].arrived > 0) {
    arrive(0, launch_.resident.slots_per_block, true);
    return barriers.verdict;
  }
  if (block.live < block.threads)
    launch_.turns.fail({.kind = fault_kind::divergent_barrier, .subject = &self});
  launch_.memory->publish(self, scope::block);
  if (++barriers.at_synchronize < block.threads) {
    launch_.turns.wait_as(thread_state::at_barrier);
  } else {
    open(barriers, block);
    launch_.progress.pass();
  }
  return barriers.verdict;
}

void block_barriers::open(barriers_of_block& barriers, const block_state& block) {
  barriers.at_synchronize = 0;
  barriers.verdict = std::exchange(barriers.votes, 0);
  if (launch_.races) {
    meeting_.resize(block.threads);
    std::iota(meeting_.begin(), meeting_.end(), block.first_thread);
    launch_.races->meet_in_block(block, meeting_);
  }
  for (thread& t : launch_.resident.threads_of(block)) {
    // From all: not before they arrived.
    launch_.memory->fence(t, memory_order::acquire, scope::block);
    if (t.state == thread_state::at_barrier) launch_.turns.make_runnable(t);
  }
}

void block_barriers::check_leaving(const thread& self) {
  if (of(*self.block).at_synchronize > 0)
    launch_.turns.fail({.kind = fault_kind::divergent_barrier, .subject = &self});
}

void block_barriers::come_to(std::uint32_t number, std::uint32_t threads, bool waits) {
  const inside_operation now(launch_.turns, op_kind::named_barrier, scope::block);
  const block_state& block = *current->block;
  if (number >= numbers || threads == 0 || threads % warp_size != 0) {
    launch_.turns.fail({.kind = fault_kind::misused_barrier,
                        .subject = current,
                        .bytes = threads,
                        .lane = number});
  }
  if (number == 0 && of(block).at_synchronize > 0) call_by_number(of(block), block);
  arrive(number, threads, waits);
}

/// The threads at __syncthreads() wait at barrier 0 from now on.
void block_barriers::call_by_number(barriers_of_block& barriers, const block_state& block) {
  barriers.numbered[0].expected = launch_.resident.slots_per_block;
  for (const thread& t : launch_.resident.threads_of(block))
    if (t.state == thread_state::at_barrier) note_arrival(barriers.numbered[0], t, true);
  barriers.at_synchronize = 0;
}

void block_barriers::note_arrival(numbered_barrier& barrier, const thread& by, bool waits) {
  if (launch_.races) launch_.races->hand_on(by, barrier.handed_on);
  if (waits)
    barrier.waiting.push_back(by.number);
  else
    barrier.passed_at = by.site;
  ++barrier.arrived;
}

void block_barriers::arrive(std::uint32_t number, std::uint32_t threads, bool waits) {
  const thread& self = *current;
  numbered_barrier& barrier = of(*self.block).numbered[number];
  if (barrier.arrived == 0) barrier.expected = threads;
  if (barrier.expected != threads) {
    launch_.turns.fail(
        {.kind = fault_kind::misused_barrier, .subject = &self, .bytes = threads, .lane = number});
  }
  launch_.memory->publish(self, scope::block);
  note_arrival(barrier, self, waits);
  const bool opens = barrier.arrived == due_at(barrier);
  if (opens) open(of(*self.block), number);
  if (opens || !waits)
    launch_.progress.pass();
  else
    launch_.turns.wait_as(thread_state::at_named_barrier);
}

/// Warps count as whole, also the last one of a block, which may have fewer lanes.
std::uint32_t block_barriers::due_at(const numbered_barrier& barrier) const {
  const resident_blocks& resident = launch_.resident;
  return barrier.expected == resident.slots_per_block ? resident.threads_per_block
                                                      : barrier.expected;
}

void block_barriers::open(barriers_of_block& barriers, std::uint32_t number) {
  if (number == 0) barriers.verdict = std::exchange(barriers.votes, 0);
  numbered_barrier& barrier = barriers.numbered[number];
  for (const std::uint32_t slot : barrier.waiting) {
    thread& t = launch_.resident.threads[slot];
    launch_.memory->fence(t, memory_order::acquire, scope::block);
    if (launch_.races) launch_.races->learn(t, barrier.handed_on);
    if (&t != current) launch_.turns.make_runnable(t);
  }
  barrier = {};
}

namespace {

const thread& first_waiting(std::span<const thread> threads) {
  return *std::ranges::find(threads, thread_state::at_barrier, &thread::state);
}

}  // namespace

void block_barriers::explain(const failure& what, fault& to) const {
  const thread& by = *what.subject;
  const block_state& block = *by.block;
  if (what.kind == fault_kind::misused_barrier) {
    to.reason = fmt::format(
        "arrives at barrier {} as one of {} threads: there are {} barriers, and all threads at "
        "one must name the same multiple of {}; number 0 is the barrier of __syncthreads()",
        what.lane, what.bytes, numbers, warp_size);
    return;
  }
  to.missing =
      "missing: all threads of the block at the barrier: no return before it, and none in a "
      "branch or a loop that some do not take";
  if (by.state == thread_state::runnable && block.live < block.threads) {
    to.reason = fmt::format(
        "arrives at __syncthreads() after others have ended: {} of its block's {} threads",
        block.threads - block.live, block.threads);
  } else {
    to.threads.front().site = {};
    to.threads.push_back(
        {"", launch_.turns.place_of(first_waiting(launch_.resident.threads_of(block)))});
    to.reason = fmt::format("ends, while {} of its block's {} threads wait at __syncthreads()",
                            of(block).at_synchronize, block.threads);
  }
}

void block_barriers::add_waiting(fault& to) const {
  const resident_blocks& resident = launch_.resident;
  std::size_t listed = 0;
  const auto add = [&](const std::string& which, std::size_t come, std::size_t due,
                       const thread& first) {
    if (++listed > longest_list) return;
    to.threads.push_back(
        {fmt::format("{} of {} have come to {}", come, due, which), launch_.turns.place_of(first)});
  };
  for (const block_state& block : resident.blocks) {
    const std::string its_name = resident.layout.name_of(block.number);
    if (const std::uint32_t come = of(block).at_synchronize; come > 0) {
      add("__syncthreads() of " + its_name, come, block.threads,
          first_waiting(launch_.resident.threads_of(block)));
    }
    for (std::uint32_t number = 0; number < numbers; ++number) {
      const numbered_barrier& barrier = of(block).numbered[number];
      if (barrier.waiting.empty()) continue;
      add(fmt::format("named barrier {} of {}", number, its_name), barrier.arrived, due_at(barrier),
          resident.threads[barrier.waiting.front()]);
      if (barrier.passed_at == nullptr) continue;
      to.missing = fmt::format(
          "missing, if those are to wait who came without waiting (bar.arrive): "
          "bar.sync at {}",
          source_position({barrier.passed_at}));
    }
  }
}

}  // namespace simt
