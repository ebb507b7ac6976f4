// SPDX-License-Identifier: Apache-2.0
#include <simt/access_text.hpp>
#include <simt/memory/memory_accesses.hpp>

#include <fmt/format.h>

#include <algorithm>

namespace simt {

namespace {

constexpr std::uintptr_t place_bytes = 16;

std::uintptr_t begin_of(const void* address) {
  return reinterpret_cast<std::uintptr_t>(address);
}

std::uintptr_t place_of(const void* address) {
  return begin_of(address) / place_bytes;
}

operation load_of(const void* from, std::size_t bytes) {
  return {.kind = op_kind::plain_load,
          .bytes = static_cast<std::uint8_t>(bytes),
          .address = const_cast<void*>(from)};
}

operation store_to(const void* to, std::size_t bytes, const word& value) {
  return {.kind = op_kind::plain_store,
          .bytes = static_cast<std::uint8_t>(bytes),
          .address = const_cast<void*>(to),
          .operand = value};
}

}  // namespace

void async_copies::begin(running_launch& launch, memory_accesses& accesses,
                         const async_copy& copy) {
  const inside_operation now(launch.turns);
  const auto perform_part = [&](const operation& op) {
    const space where = accesses.checked_space(op, copy.site);
    launch.turns.begin_operation(op.kind, op.reach, where);
    if (where == space::global) accesses.unset.look_at(op, copy.site);
    accesses.access(op, where, copy.site);
  };
  perform_part(load_of(copy.from, copy.bytes));
  perform_part(store_to(copy.to, copy.bytes, {launch.random.next(), launch.random.next()}));
  targets_.emplace(place_of(copy.to), copy);
  sources_.emplace(place_of(copy.from), copy);
  of_thread_[copy.thread].push_back(copy);
  launch.memory->step();
  launch.progress.pass();
}

/// Not counted: the operations of a copy are, when it begins.
void async_copies::wait(running_launch& launch, memory_accesses& accesses, const void* batch,
                        const void* site) {
  const inside_operation now(launch.turns);
  bool any = false;
  while (const auto copy = take(current->number, batch)) {
    const word value = accesses.access(load_of(copy->from, copy->bytes), space::global, site);
    accesses.access(store_to(copy->to, copy->bytes, value), space::shared, site);
    any = true;
  }
  if (!any) return;
  launch.memory->step();
  launch.progress.pass();
}

void async_copies::erase(by_place& copies, const void* side, const async_copy& which) {
  const auto [first, last] = copies.equal_range(place_of(side));
  copies.erase(std::find_if(first, last, [&](const auto& each) {
    return each.second.thread == which.thread && each.second.to == which.to;
  }));
}

std::optional<async_copy> async_copies::take(std::uint32_t thread, const void* batch) {
  const auto of_thread = of_thread_.find(thread);
  if (of_thread == of_thread_.end()) return {};
  std::vector<async_copy>& all = of_thread->second;
  const auto first = std::find_if(all.begin(), all.end(),
                                  [&](const async_copy& each) { return each.batch == batch; });
  if (first == all.end()) return {};
  const async_copy taken = *first;
  all.erase(first);
  if (all.empty()) of_thread_.erase(of_thread);
  erase(targets_, taken.to, taken);
  erase(sources_, taken.from, taken);
  return taken;
}

void async_copies::forget(std::uint32_t first, std::uint32_t count) {
  for (std::uint32_t thread = first; thread < first + count; ++thread) {
    for (auto left = of_thread_.find(thread); left != of_thread_.end();
         left = of_thread_.find(thread))
      take(thread, left->second.front().batch);
  }
}

const async_copy* async_copies::find(const by_place& copies, const void* async_copy::*side,
                                     const operation& op) {
  const std::uintptr_t begin = begin_of(op.address);
  const std::uintptr_t end = begin + op.bytes;
  for (std::uintptr_t place = begin / place_bytes; place * place_bytes < end; ++place) {
    const auto [first, last] = copies.equal_range(place);
    for (auto each = first; each != last; ++each) {
      const std::uintptr_t at = begin_of(each->second.*side);
      if (at < end && begin < at + each->second.bytes) return &each->second;
    }
  }
  return nullptr;
}

bool async_copies::are_met_by(const operation& op, const void* site) {
  const async_copy* const written = find(targets_, &async_copy::to, op);
  const async_copy* met = written;
  if (met == nullptr && op.kind != op_kind::plain_load && op.kind != op_kind::load)
    met = find(sources_, &async_copy::from, op);
  if (met != nullptr) met_ = {*met, written != nullptr, op, site};
  return met != nullptr;
}

void async_copies::explain(const failure& what, const resident_blocks& resident, fault& to) const {
  const auto& [copy, at_target, op, site] = *met_;
  const std::string copier = resident.name_of(resident.threads[copy.thread]);
  to.reason = "meets";
  to.threads = {{fmt::format("the {} by {}", access_text(op.kind, op.reach, op.bytes),
                             resident.name_of(*what.subject)),
                 {site}},
                {fmt::format("the asynchronous copy of {} bytes {} there by {}", copy.bytes,
                             at_target ? "to" : "from", copier),
                 {copy.site}}};
  to.missing =
      fmt::format("missing: {} waits for its copy, before a synchronization of both", copier);
}

}  // namespace simt
