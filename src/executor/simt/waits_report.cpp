// SPDX-License-Identifier: Apache-2.0
// The report of who waits where, for what, and who could end it.
#include <simt/executor.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <map>

namespace simt {

namespace {

constexpr std::size_t longest_list = 3;  // of what a report names one by one

bool is_running(const thread& t) {
  return t.state == thread_state::runnable || t.state == thread_state::asleep;
}

/// The address that the thread polls or has read last; null if there is none.
const void* polled_by(const thread& t) {
  return is_running(t) ? t.recent.address[t.recent.newest] : nullptr;
}

/// A small negative number is easier to recognize with its sign.
std::string value_text(std::uint64_t value) {
  constexpr std::int64_t small = 1 << 20;
  const auto with_sign = [&](std::int64_t as_signed) {
    return as_signed < 0 && as_signed > -small ? fmt::format("{} ({})", value, as_signed)
                                               : fmt::format("{}", value);
  };
  if (value >> 32 == 0) return with_sign(static_cast<std::int32_t>(value));
  return with_sign(static_cast<std::int64_t>(value));
}

}  // namespace

/// Where live threads are, by state.
std::string executor::thread_summary() const {
  std::size_t in[thread_states] = {};
  for (const thread& t : threads_) ++in[static_cast<std::size_t>(t.state)];
  std::string text = fmt::format("{} live threads", live_threads_);
  const auto add = [&](thread_state state, const char* what) {
    const std::size_t count = in[static_cast<std::size_t>(state)];
    if (count > 0) text += fmt::format(", {} {}", count, what);
  };
  add(thread_state::runnable, "running");
  add(thread_state::asleep, "in nanosleep");
  add(thread_state::at_barrier, "at __syncthreads()");
  add(thread_state::at_cluster_barrier, "at the cluster's barrier");
  add(thread_state::at_named_barrier, "at named barriers");
  add(thread_state::at_collective, "at a warp collective");
  add(thread_state::at_async, "at waits for asynchronous copies");
  return text;
}

void executor::add_waiting(fault& to) const {
  to.reason += thread_summary();
  add_barriers_waited_at(to);
  add_collectives_waited_in(to);
  add_poll_targets(to);
}

/// The barriers of the first blocks with waiting threads: how many have come, and how many are due.
void executor::add_barriers_waited_at(fault& to) const {
  std::size_t listed = 0;
  const auto add = [&](const std::string& which, std::size_t come, std::size_t due,
                       const thread& first) {
    if (++listed > longest_list) return;
    to.threads.push_back({fmt::format("{} of {} have come to {}", come, due, which), first.site});
  };
  for (const block_state& block : blocks_) {
    if (block.at_barrier > 0) {
      const auto waiting =
          std::find_if(&threads_[block.first_thread], &threads_[block.first_thread] + block.threads,
                       [](const thread& t) { return t.state == thread_state::at_barrier; });
      add("__syncthreads() of " + layout_.name_of(block.number), block.at_barrier, block.threads,
          *waiting);
    }
    for (std::uint32_t number = 0; number < named_barriers; ++number) {
      const named_barrier_state& barrier = named_barriers_[place_of_barrier(block, number)];
      if (barrier.waiting.empty()) continue;
      add(fmt::format("named barrier {} of {}", number, layout_.name_of(block.number)),
          barrier.arrived, due_at(barrier), threads_[barrier.waiting.front()]);
    }
  }
}

/// The collectives of the first warps with waiting lanes: who waits for whom.
void executor::add_collectives_waited_in(fault& to) const {
  std::size_t listed = 0;
  for (const warp_state& warp : warps_) {
    std::uint32_t told = 0;
    for (std::uint32_t waiting = warp.waiting; waiting != 0 && listed < longest_list;
         waiting &= waiting - 1) {
      const auto lane = static_cast<std::uint32_t>(std::countr_zero(waiting));
      if (warp.kind[lane] == collective::converge || (told & 1u << lane) != 0) continue;
      const std::uint32_t mask = warp.mask[lane];
      const std::uint32_t here = lanes_at(warp, warp.kind[lane], mask);
      told |= here;
      ++listed;
      const thread& first =
          threads_[static_cast<std::size_t>(&warp - warps_.data()) * warp_size + lane];
      to.threads.push_back({fmt::format("lanes {:#x} wait for lanes {:#x} of the warp of {}", here,
                                        mask & ~here, name_of(first)),
                            first.site});
    }
  }
}

/// The resident thread with this number in the launch's block; null if it has ended.
const thread* executor::find_thread(std::uint32_t block, std::uint32_t number) const {
  const auto owner = std::find_if(blocks_.begin(), blocks_.end(),
                                  [&](const block_state& b) { return b.number == block; });
  if (owner == blocks_.end()) return nullptr;
  const thread& found = threads_[owner->first_thread + number];
  return found.state == thread_state::finished ? nullptr : &found;
}

/// Who has last written there, and what has become of that thread.
std::string executor::writer_of(const void* address) const {
  const last_write& write = last_writes_[global_.offset(address) / 4 % last_writes_.size()];
  if (write.address == nullptr) return " (never written in this launch)";
  if (write.address != address) return {};
  const auto told = [&](const std::string& fate) {
    return fmt::format(" (last written by {}, thread {}{})", layout_.name_of(write.block),
                       write.thread, fate);
  };
  const thread* const writer = find_thread(write.block, write.thread);
  if (writer == nullptr) return told(", which has ended");
  switch (writer->state) {
    case thread_state::at_barrier:
      return told(", which waits at __syncthreads()");
    case thread_state::at_cluster_barrier:
      return told(", which waits at the cluster's barrier");
    case thread_state::at_named_barrier:
      return told(", which waits at a named barrier");
    case thread_state::at_collective:
      return told(", which waits at a warp collective");
    default:
      break;
  }
  const void* const polled = polled_by(*writer);
  if (polled == address) return told(", which is one of those who poll it");
  return told(polled == nullptr ? "" : fmt::format(", which polls {}", place_of(polled)));
}

/// The addresses that live threads read last: how many poll each, where, the value found, and the
/// last writer.
void executor::add_poll_targets(fault& to) const {
  struct target {
    const void* address = nullptr;
    std::size_t waiters = 0;
    const thread* first = nullptr;
    std::uint64_t value = 0;
  };
  std::map<const void*, target> polled;
  for (const thread& t : threads_) {
    const void* const address = polled_by(t);
    if (address == nullptr) continue;
    target& entry = polled[address];
    if (entry.waiters++ == 0) entry.first = &t;
    entry.address = address;
    entry.value = t.recent.value[t.recent.newest];
  }
  std::vector<target> by_waiters;
  for (const auto& [address, entry] : polled) by_waiters.push_back(entry);
  std::stable_sort(by_waiters.begin(), by_waiters.end(),
                   [](const target& a, const target& b) { return a.waiters > b.waiters; });
  for (std::size_t i = 0; i < std::min(longest_list, by_waiters.size()); ++i) {
    const auto& [address, waiters, first, value] = by_waiters[i];
    const auto counter = arrival_counters_.find(address);
    const std::string what =
        counter == arrival_counters_.end()
            ? fmt::format("{}, which holds {}", place_of(address), value_text(value))
            : fmt::format("the mbarrier at {}, where {} of {} have arrived in phase {}",
                          place_of(address), value % counter->second, counter->second,
                          value / counter->second);
    to.threads.push_back({fmt::format("{} poll {}{}: {}{}", waiters, what, writer_of(address),
                                      waiters > 1 ? "first " : "", name_of(*first)),
                          first->site});
  }
}

}  // namespace simt
