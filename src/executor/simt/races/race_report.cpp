// SPDX-License-Identifier: Apache-2.0
// The text of a race report: both accesses, and the missing synchronization.
#include <simt/access_text.hpp>
#include <simt/arena.hpp>
#include <simt/races/race_detector.hpp>
#include <simt/source_position.hpp>

#include <fmt/format.h>

namespace simt {

std::string race_detector::name_of(std::uint32_t thread, std::uint32_t block) const {
  if (is_async(thread)) return "an asynchronous copy of " + layout_.name_of(block);
  return fmt::format("{}, thread {}", layout_.name_of(block),
                     thread - threads_[thread].block->first_thread);
}

/// ", which holds lock 7 of 'bins'"; nothing in a launch without locks, or if that is forgotten.
std::string race_detector::locks_held_at(const access_record& record) const {
  if (locks_.empty()) return {};
  const auto own = locks_.find(record.thread);
  const auto held = own == locks_.end() ? held_locks().at(0) : own->second.at(record.time);
  if (!held) return {};
  std::string text;
  for (const void* lock : *held) text += (text.empty() ? "" : " and ") + place_of(lock);
  return ", which holds " + (held->empty() ? "no lock" : text);
}

/// "the plain store of 4 bytes by block 0, thread 3"
concerned_threads race_detector::described(const access_record& record) const {
  return {fmt::format("the {} by {}{}", access_text(record.kind, record.reach, record.bytes),
                      name_of(record), locks_held_at(record)),
          {record.site}};
}

/// One of the accesses is that of an async thread.
std::string race_detector::what_is_missing_for_copies() const {
  const access_record& before = found_->earlier;
  const access_record& after = found_->later;
  if (order_.knows(after.thread, before.thread, before.time)) {
    return fmt::format("missing: fence.proxy.async between the {} and the begin of the copy",
                       to_string(before.kind));
  }
  const auto wait_for = [&](const access_record& copy) {
    const async_wait& wait = *waits_.at(copy.site);
    return copy.kind == op_kind::plain_load ? wait.for_reads : wait.for_writes;
  };
  const auto begun = [](const access_record& copy) {
    const std::string where = source_position({copy.site});
    return "the copy that was begun" + (where.empty() ? "" : " at " + where);
  };
  if (is_async(before)) {
    return fmt::format(
        "{} is not complete then; missing: {}, before {}", begun(before), wait_for(before),
        is_async(after) ? "the next copy is begun" : fmt::format("the {}", to_string(after.kind)));
  }
  const std::string late = fmt::format("{} is not complete at that {}; missing: {}, before it",
                                       begun(after), to_string(before.kind), wait_for(after));
  if (threads_[after.thread].started_by->number == before.thread) return late;
  return fmt::format(
      "{}; or, if the copy is to come after it, a synchronization of {} with the thread that "
      "begins "
      "the copy",
      late, name_of(before));
}

/// In shared memory the offset in that of its block, which may be another block of the cluster.
std::string race_detector::place_of(const void* address) const {
  if (!in_shared(address)) return global_memory().place(address);
  const auto at = static_cast<const std::byte*>(address);
  const std::byte* owner = shared_.data();
  for (const thread& t : threads_)
    if (t.block != nullptr && t.block->shared <= at)
      owner = std::max<const std::byte*>(owner, t.block->shared);
  return fmt::format("shared memory +{:#x}", static_cast<std::uint64_t>(at - owner));
}

fault race_detector::found() const {
  if (after_end_) return *after_end_;
  const access_record& earlier = found_->earlier;
  const access_record& later = found_->later;
  fault what{.kind = fault_kind::race,
             .threads = {described(later)},
             .address = place_of(found_->address)};
  if (earlier.time == 0) {
    what.kind = is_rmw(later.kind) ? fault_kind::unset_use : fault_kind::unset_read;
  } else {
    what.reason = "races with";
    what.threads.push_back(described(earlier));
    what.missing = what_is_missing();
  }
  return what;
}

}  // namespace simt
