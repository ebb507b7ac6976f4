// SPDX-License-Identifier: Apache-2.0
// What is missing between the two accesses of a race: the hint of a report. If synchronization of
// any strength leads from one to the other, it is what strengthens its first weak part. If none
// does, it is a barrier beside a thread that does synchronize, a wait, or an atomic access.
#include <simt/access_text.hpp>
#include <simt/races/race_detector.hpp>

#include <fmt/format.h>

#include <map>
#include <optional>
#include <set>

namespace simt {

namespace {

const char* fence_of(scope reach) {
  switch (reach) {
    case scope::block:
      return "__threadfence_block()";
    case scope::cluster:
      return "fence.acq_rel.cluster";
    case scope::device:
      return "__threadfence()";
    case scope::system:
      return "__threadfence_system()";
  }
  return "";
}

std::string kind_of(const sync_event& event) {
  return event.what == op_kind::named_barrier ? "arrival at a named barrier"
         : event.what < op_kind::fence        ? to_string(event.what)
                                              : "begin of a copy";
}

std::string text_of(const sync_event& event) {
  return kind_of(event) + place_text({event.site});
}

/// The widest scope of a release, or acquire, of the thread: the event's own, or a fence's of those
/// in [first, end).
std::optional<scope> widest(const sync_log& log, const sync_event& own,
                            bool (*counts)(memory_order), std::uint32_t first, std::uint32_t end) {
  std::optional<scope> found;
  const auto look_at = [&](const sync_event& each) {
    if (counts(each.order) && (!found || *found < each.reach)) found = each.reach;
  };
  look_at(own);
  for (std::uint32_t i = std::max(first, log.first()); i < end; ++i)
    if (const sync_event& each = log.at(i);
        each.kind == sync_kind::fence && each.thread == own.thread)
      look_at(each);
  return found;
}

}  // namespace

/// Of accesses that some synchronization leads to from the earlier one; empty if it is strong.
std::string race_detector::what_is_weak(const sync_followers& of_earlier) const {
  const access_record& before = found_->earlier;
  const access_record& after = found_->later;
  const auto path = of_earlier.path_to(after.thread);
  for (std::size_t i = 1; i < path.size(); ++i) {
    const std::uint32_t reader = path[i].thread;
    if (reader == path[i - 1].thread || order_.knows(reader, before.thread, before.time)) continue;
    const sync_event& read = log_.at(path[i].event);
    if (read.kind == sync_kind::meeting)
      return fmt::format(
          "missing: a cluster-scope release by {} before the cluster's barrier (an arrival without "
          ".relaxed)",
          name_of(before));
    const sync_event& write = log_.at(path[i - 1].event);
    const scope needed =
        common_scope(agent_of(write.thread, write.block), agent_of(reader, read.block));
    const std::uint32_t until = i + 1 < path.size() ? path[i + 1].event : log_.end();
    const auto released = widest(log_, write, releases, path[i - 2].event, path[i - 1].event);
    const auto acquired = widest(log_, read, acquires, path[i].event, until);
    const std::string writer = name_of(write.thread, write.block);
    const std::string since = write.thread == before.thread
                                  ? fmt::format(" after its {} and", to_string(before.kind))
                                  : "";
    // The reader itself hands on, or accesses, or meets the one who does.
    const bool hands_on = i + 1 < path.size() && path[i + 1].thread == reader;
    const std::string acquire = fmt::format(
        "a {}-scope acquire between the {} by {} and {} {}, as {}", adjective(needed),
        text_of(read), name_of(reader, read.block),
        hands_on || reader == after.thread ? "its" : "the",
        hands_on ? text_of(log_.at(path[i + 1].event)) : to_string(after.kind), fence_of(needed));
    if (released && *released < needed)
      return fmt::format(
          "{} has released since, but at a narrower scope; missing: {} scope in "
          "that, before its {}",
          writer, adjective(needed), text_of(write));
    if (released && (!acquired || *acquired < needed))
      return fmt::format("{} has read what {} released; missing: {}", name_of(reader, read.block),
                         writer, acquire);
    if (released)
      return fmt::format("missing: {} scope in both the {} and the {}", adjective(needed),
                         text_of(write), text_of(read));
    std::string text =
        fmt::format("missing: a {}-scope release by {}{} before its {}, as {}", adjective(needed),
                    writer, since, text_of(write), fence_of(needed));
    if (!acquired || *acquired < needed) text += "; and " + acquire;
    return text;
  }
  return "";
}

/// If one of the accesses is plain, the other is of data, as are those of its instruction.
uncounted_accesses race_detector::uncounted() const {
  const access_record& before = found_->earlier;
  const access_record& after = found_->later;
  if (!before.is_atomic() && !after.is_atomic()) return {};
  return {found_->address, before.is_atomic() ? before.site : after.site};
}

/// A thread of the block of the later access that still waits for what one of the other block
/// changes, too, or what the first thread alone looks at; null if there is none.
const sync_event* race_detector::waiting_beside() const {
  const block_state* const own = threads_[found_->later.thread].block;
  const block_state* const other = threads_[found_->earlier.thread].block;
  if (own == other) return nullptr;
  const uncounted_accesses data = uncounted();
  std::set<std::uint32_t> met;
  std::map<const void*, const sync_event*> waits;
  std::set<const void*> looked_at;  // by other threads of the block
  for (std::uint32_t i = log_.end(); i-- > log_.first();) {
    const sync_event& event = log_.at(i);
    if (event.kind == sync_kind::meeting) {
      event.for_members([&](std::uint32_t each) { met.insert(each); });
    } else if (threads_[event.thread].block == own) {
      if (event.thread != own->first_thread) looked_at.insert(event.where);
      if (event.thread == found_->later.thread) continue;
      if (met.insert(event.thread).second && event.reads() && !data.has(event))
        waits.try_emplace(event.where, &event);
    } else if (threads_[event.thread].block == other && event.where != nullptr) {
      if (const auto found = waits.find(event.where); found != waits.end()) return found->second;
    }
  }
  for (const auto& [word, event] : waits)
    if (event->thread == own->first_thread && !looked_at.contains(word)) return event;
  return nullptr;
}

/// Of accesses that nothing orders.
std::string race_detector::what_is_absent(const sync_followers& of_earlier) const {
  const access_record& before = found_->earlier;
  const access_record& after = found_->later;
  const uncounted_accesses data = uncounted();
  const auto in_block_of = [&](std::uint32_t thread, const access_record& access) {
    return thread != access.thread && !is_async(thread) &&
           threads_[thread].block == threads_[access.thread].block;
  };
  const auto by = [&](const access_record& access) {
    return fmt::format("the {} by {}", to_string(access.kind), name_of(access));
  };
  const auto barrier_of = [&](std::uint32_t thread) {
    return threads_[thread].block->threads <= warp_size ? "__syncwarp() or __syncthreads()"
                                                        : "__syncthreads()";
  };
  const bool in_one_warp = before.thread / warp_size == after.thread / warp_size;
  for (const auto& [thread, step] : of_earlier.threads()) {
    const sync_event& read = log_.at(of_earlier.at(step).event);
    if (in_one_warp || !in_block_of(thread, after) || thread == before.thread || !read.reads() ||
        read.what == op_kind::named_barrier)
      continue;
    return fmt::format("{} has waited for it, at its {}; missing: {} between that and {}",
                       name_of(thread, read.block), text_of(read), barrier_of(thread), by(after));
  }
  // A release by another thread of the block that does not come after the access. In either
  // direction: which of the two should come first, the order of a racy run does not tell.
  const sync_leaders of_later(log_, after.thread, log_.end(), data);
  const sync_leaders leads_to_earlier(log_, before.thread, before.events, data);
  const auto told_too_early = [&](const access_record& one, const access_record& other,
                                  const sync_leaders& leaders, std::uint32_t end) -> std::string {
    for (const auto& [thread, event] : leaders.writes()) {
      const sync_event& write = log_.at(event);
      if (in_one_warp || !in_block_of(thread, one) || thread == other.thread) continue;
      if (write.what == op_kind::named_barrier) continue;
      if (event < end && sync_followers(log_, thread, event, end, data).has(one.thread)) continue;
      return fmt::format(
          "{} goes on after the {} by {}, which nothing orders after {}; missing: {} "
          "between the two",
          name_of(other), text_of(write), name_of(thread, write.block), by(one),
          barrier_of(thread));
    }
    return "";
  };
  if (std::string text = told_too_early(before, after, of_later, before.events); !text.empty())
    return text;
  for (const auto& [word, step] : of_earlier.words()) {
    const auto seen = of_later.reads().find(word);
    if (seen == of_later.reads().end()) continue;
    const sync_event& write = log_.at(of_earlier.at(step).event);
    const sync_event& read = log_.at(seen->second);
    if (write.what == op_kind::named_barrier) continue;
    return fmt::format(
        "{} tells of it by its {}, but the {} by {} came before that; missing: a wait "
        "for it: what is waited for is wrong, or was not set back before",
        name_of(write.thread, write.block), text_of(write), text_of(read),
        name_of(read.thread, read.block));
  }
  if (std::string text = told_too_early(after, before, leads_to_earlier, log_.end()); !text.empty())
    return text;
  if (const sync_event* const wait = waiting_beside()) {
    return fmt::format(
        "{} waits at its {}, and {} does not wait for it; missing: {} between that "
        "and {}",
        name_of(wait->thread, wait->block), text_of(*wait), name_of(after),
        barrier_of(wait->thread), by(after));
  }
  const auto own = of_later.writes().find(before.thread);
  const bool is_known = own != of_later.writes().end();
  const bool by_numbers = is_known && log_.at(own->second).what == op_kind::named_barrier;
  if (is_known && !by_numbers) {
    return fmt::format(
        "{} goes by the {} of {}, which comes before its {}; missing: that {} first, "
        "with a release after it, or atomic accesses in place of both",
        name_of(after), text_of(log_.at(own->second)), name_of(before), to_string(before.kind),
        to_string(before.kind));
  }
  const std::string atomic =
      before.is_atomic() || after.is_atomic()
          ? fmt::format("an atomic access in place of the {}",
                        to_string(before.is_atomic() ? after.kind : before.kind))
          : "atomic accesses in place of both";
  const bool is_mixed = before.is_atomic() || after.is_atomic();
  if (before.block != after.block) {
    const bool in_cluster = common_scope_of(before, after) == scope::cluster;
    return fmt::format("no synchronization leads from one to the other; missing: {}, or {}",
                       in_cluster ? "a barrier of the cluster between them" : atomic,
                       in_cluster ? atomic : "a barrier of the grid, or a launch for each");
  }
  std::string text = "missing: ";
  text += in_one_warp ? "__syncwarp() between them (for others of their block __syncthreads())"
                      : "__syncthreads() between them, or another barrier of both";
  if (by_numbers)
    text +=
        "; both come to one named barrier, but not between the two: is its number another one's, "
        "too?";
  else if (is_mixed)
    text += fmt::format("; or, if any order will do, {}", atomic);
  else if (!in_shared(found_->address))
    text += "; " + atomic + " if other blocks use it, too";
  return text;
}

std::string race_detector::what_is_missing() const {
  const access_record& before = found_->earlier;
  const access_record& after = found_->later;
  if (found_->is_read_only) {
    return "the load is ld.global.nc (__ldg(), const __restrict__), which sees no write of its own "
           "launch; missing: an ordinary load";
  }
  if (is_async(before) || is_async(after)) return what_is_missing_for_copies();
  if (before.is_atomic() && after.is_atomic()) {
    if (!before.same_extent(after))
      return "both are atomic, but access different bytes; missing: one size for both";
    const scope needed = common_scope_of(before, after);
    const access_record* const narrow = before.reach >= needed  ? &after
                                        : after.reach >= needed ? &before
                                                                : nullptr;
    return fmt::format(
        "both are atomic; missing: {} scope in {}", adjective(needed),
        narrow == nullptr ? "both"
                          : fmt::format("the {} by {}", to_string(narrow->kind), name_of(*narrow)));
  }
  const sync_followers of_earlier(log_, before.thread, before.events, log_.end(), uncounted());
  if (of_earlier.has(after.thread))
    if (std::string text = what_is_weak(of_earlier); !text.empty()) return text;
  return what_is_absent(of_earlier);
}

}  // namespace simt
