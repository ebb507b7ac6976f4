// SPDX-License-Identifier: Apache-2.0
// What reports say of addresses: where they lie, who polls them, and who has written there.
#include <simt/memory/memory_accesses.hpp>

#include <fmt/format.h>

#include <algorithm>

namespace simt {

namespace {

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

std::string memory_accesses::place_of(const void* address) const {
  if (global_.contains(address)) return global_.place(address);
  const auto into = static_cast<const std::byte*>(address) - launch_.resident.blocks.front().shared;
  return fmt::format("shared memory +{:#x}",
                     static_cast<std::size_t>(into) % launch_.resident.shared_stride);
}

/// What is near an address that no access may use.
std::string memory_accesses::surroundings_of(const void* address, const thread& by) const {
  if (global_.contains(address)) return global_.neighbourhood(address);
  const auto* at = static_cast<const std::byte*>(address);
  if (const block_state* owner = launch_.resident.owner_in_cluster(by, at, 1);
      owner != nullptr && owner->live == 0) {
    return fmt::format("in the shared storage of {} of its cluster, which has ended",
                       launch_.resident.layout.name_of(owner->number));
  }
  const auto* const first =
      launch_.resident.blocks[launch_.resident.cluster_of(*by.block).first_slot].shared;
  constexpr std::ptrdiff_t near = 1 << 20;
  if (at < first && first - at <= near && launch_.resident.grid.shared_bytes > 0) {
    return fmt::format("{} bytes before its {}'s shared storage", first - at,
                       launch_.resident.grid.cluster_blocks() > 1 ? "cluster" : "block");
  }
  for (const block_state& block : launch_.resident.blocks) {
    if (at < block.shared || at >= block.shared + launch_.resident.shared_stride) continue;
    return fmt::format(
        "{} bytes into {} shared storage of {} bytes", at - block.shared,
        &block == by.block ? "its block's" : launch_.resident.layout.name_of(block.number) + "'s",
        launch_.resident.grid.shared_bytes);
  }
  return "which is neither in a device buffer nor in its block's shared storage";
}

void memory_accesses::explain(const failure& what, fault& to) const {
  if (what.kind == fault_kind::race) {
    to.address = place_of(what.address);
    copies.explain(what, launch_.resident, to);
    return;
  }
  to.threads.front().site.code = what.site;
  if (what.kind == fault_kind::misaligned) {
    to.address = place_of(what.address);
    to.reason =
        fmt::format("accessed {}, which is not a multiple of {} bytes", to.address, what.bytes);
  } else {
    to.address = fmt::format("{}", what.address);
    to.reason = fmt::format("accessed {} bytes at {}, {}", what.bytes, to.address,
                            surroundings_of(what.address, *what.subject));
    const block_state* const owner =
        launch_.resident.owner_in_cluster(*what.subject, what.address, 1);
    if (owner != nullptr && owner->live == 0)
      to.missing = "missing: a barrier of the cluster after it, before that block ends";
  }
}

/// Who has last written there, and what has become of that thread.
std::string memory_accesses::writer_of(const void* address) const {
  const last_write& write = last_writes_[global_.offset(address) / 4 % last_writes_.size()];
  if (write.address == nullptr) return " (never written in this launch)";
  if (write.address != address) return {};
  const auto described = [&](const std::string& fate) {
    return fmt::format(" (last written by {}, thread {}{})",
                       launch_.resident.layout.name_of(write.block), write.thread, fate);
  };
  const thread* const writer = launch_.resident.find(write.block, write.thread);
  if (writer == nullptr) return described(", which has ended");
  switch (writer->state) {
    case thread_state::at_barrier:
      return described(", which waits at __syncthreads()");
    case thread_state::at_cluster_barrier:
      return described(", which waits at the cluster's barrier");
    case thread_state::at_named_barrier:
      return described(", which waits at a named barrier");
    case thread_state::at_collective:
      return described(", which waits at a warp collective");
    default:
      break;
  }
  const void* const polled = polled_by(*writer);
  if (polled == address) return described(", which is one of those who poll it");
  return described(polled == nullptr ? "" : fmt::format(", which polls {}", place_of(polled)));
}

/// What those may lack who poll what was written; empty if nothing is known.
std::string memory_accesses::missing_for(const last_write& write, const thread& waiter) const {
  const auto at = [](const void* site) {
    const std::string where = source_position({site});
    return where.empty() ? std::string("an unknown place") : where;
  };
  if (write.overwritten != nullptr) {
    return fmt::format(
        "missing, if the value is waited for that was written at {}: the write at {}, which "
        "overwrote it, only after all have seen it",
        at(write.overwritten), at(write.site));
  }
  const thread* const writer = launch_.resident.find(write.block, write.thread);
  if (writer == nullptr) return {};
  if ((writer->state == thread_state::at_collective && writer->warp == waiter.warp) ||
      (writer->state == thread_state::at_barrier && writer->block == waiter.block)) {
    return fmt::format(
        "missing: the write that is waited for before {}, thread {} waits at {}, as it waits "
        "there for those who poll",
        launch_.resident.layout.name_of(write.block), write.thread,
        source_position(launch_.turns.place_of(*writer)));
  }
  const std::uint64_t ended =
      std::uint64_t{launch_.resident.layout.blocks()} * launch_.resident.threads_per_block -
      launch_.turns.live();
  if (write.is_store || polled_by(*writer) != write.address || ended == 0 ||
      !launch_.resident.has_started_all())
    return {};
  return fmt::format(
      "missing, if it is a barrier of all: the {} threads that have ended without it (by a "
      "return, or a branch)",
      ended);
}

/// Whether the thread has said what it waits for, and has only polled since.
bool memory_accesses::has_told_wait(const thread& t) const {
  return t.wait.seen != t.wait.wanted && t.polls >= t.wait.polls &&
         global_.objects_at(t.wait.where) != nullptr;
}

/// ", which holds 7"; nothing of an object whose words mean something only to its owner.
std::string memory_accesses::held_text(const thread& t, const void* address) const {
  const label* const objects = global_.objects_at(address);
  if (has_told_wait(t)) return ", which " + objects->state(t.wait.seen, t.wait.wanted);
  if (objects != nullptr) return {};
  return ", which holds " + value_text(t.recent.value[t.recent.newest]);
}

void memory_accesses::add_polls(fault& to) const {
  struct target {
    const void* address = nullptr;
    std::size_t waiters = 0;
    const thread* first = nullptr;
  };
  std::map<const void*, target> polled;
  for (const thread& t : launch_.resident.threads) {
    const void* address = polled_by(t);
    if (address == nullptr) continue;
    if (has_told_wait(t)) address = t.wait.where;
    target& entry = polled[address];
    if (entry.waiters++ == 0) entry.first = &t;
    entry.address = address;
  }
  std::vector<target> by_waiters;
  std::map<std::string, std::size_t> of_object;  // one entry for all words of an object
  for (const auto& [address, entry] : polled) {
    if (global_.objects_at(address) != nullptr) {
      const auto [same, is_new] = of_object.try_emplace(place_of(address), by_waiters.size());
      if (!is_new) {
        by_waiters[same->second].waiters += entry.waiters;
        continue;
      }
    }
    by_waiters.push_back(entry);
  }
  std::stable_sort(by_waiters.begin(), by_waiters.end(),
                   [](const target& a, const target& b) { return a.waiters > b.waiters; });
  for (std::size_t i = 0; i < std::min(longest_list, by_waiters.size()); ++i) {
    const auto& [address, waiters, first] = by_waiters[i];
    const std::uint64_t value = first->recent.value[first->recent.newest];
    const auto counter = arrival_counters_.find(address);
    const std::string what =
        counter == arrival_counters_.end()
            ? place_of(address) + held_text(*first, address)
            : fmt::format("the mbarrier at {}, where {} of {} have arrived in phase {}",
                          place_of(address), value % counter->second, counter->second,
                          value / counter->second);
    to.threads.push_back(
        {fmt::format("{} poll {}{}: {}{}", waiters, what, writer_of(address),
                     waiters > 1 ? "first " : "", launch_.resident.name_of(*first)),
         launch_.turns.place_of(*first)});
    const last_write& write = last_writes_[global_.offset(address) / 4 % last_writes_.size()];
    if (to.missing.empty() && write.address == address) to.missing = missing_for(write, *first);
  }
}

}  // namespace simt
