// SPDX-License-Identifier: Apache-2.0
#include <cudart/overlaps.hpp>
#include <simt/arena.hpp>
#include <simt/device_api.hpp>

#include <fmt/format.h>

#include <algorithm>

namespace cudart {

namespace {

bool conflict(const access_kind& one, const access_kind& other) {
  return (one.writes || other.writes) && !(one.is_atomic && other.is_atomic);
}

}  // namespace

void launch_accesses::saw(const simt::operation& op, bool wrote, const void* site) {
  const std::uint64_t begin = simt::global_memory().offset(op.address);
  if (of_ != nullptr && !boost::icl::contains(*of_, begin)) return;
  const bool is_plain =
      op.kind == simt::op_kind::plain_load || op.kind == simt::op_kind::plain_store;
  const bool signals_host = !is_plain && (fences_system_ || op.reach == simt::scope::system);
  const access_kind how{
      .writes = wrote, .is_atomic = !is_plain, .signals_host = signals_host, .site = site};
  const bool has_waited = waited_.contains(simt::current->block->number);
  (has_waited ? after_wait_ : before_wait_)[how] += byte_range::right_open(begin, begin + op.bytes);
}

void launch_accesses::at_dependency(bool waits) {
  if (waits)
    waited_.insert(simt::current->block->number);
  else
    launches_dependents_ = true;
}

void overlap_detector::add(const host_operation& what, std::uint32_t stream, const accesses& done) {
  const operation_stamp stamp = order.begin(stream);
  const auto number = static_cast<std::uint32_t>(operations_.size());
  operations_.push_back({what, stream, stamp.number});
  check(number, stamp, done, false);
  keep(number, stamp, done);
  keep_for_host(number, stamp, done);
  latest_[stream] = {};
}

void overlap_detector::add_launch(const host_operation& what, std::uint32_t stream,
                                  const launch_accesses& done, bool overlaps) {
  const operation_stamp stamp = order.begin(stream);
  const auto number = static_cast<std::uint32_t>(operations_.size());
  operations_.push_back({what, stream, stamp.number});
  operation_stamp early = stamp;
  const bool is_early = overlaps && latest_[stream].launches_dependents;
  if (is_early) early.before[stream] = latest_[stream].number - 1;
  check(number, early, done.before_wait(), is_early);
  check(number, stamp, done.after_wait(), false);
  keep(number, stamp, done.before_wait());
  keep(number, stamp, done.after_wait());
  keep_for_host(number, stamp, done.before_wait());
  keep_for_host(number, stamp, done.after_wait());
  latest_[stream] = {stamp.number, done.launches_dependents()};
}

/// Tells the first byte of each conflict of two operations.
void overlap_detector::check(std::uint32_t operation, const operation_stamp& stamp,
                             const accesses& done, bool before_wait) {
  for (const auto& [how, bytes] : done) {
    for (const auto& range : bytes) {
      const auto [first, last] = memory_.equal_range(range);
      for (auto known = first; known != last; ++known) {
        for (const record& earlier : known->second) {
          const known_operation& by = operations_[earlier.operation];
          if (!conflict(earlier.how, how) || stamp.comes_after(by.stream, by.number)) continue;
          const std::uint64_t at = std::max(known->first.lower(), range.lower());
          report_(described(earlier, {operation, how}, at,
                            before_wait
                                ? "griddepcontrol.wait before it (programmatic dependent launch)"
                                : "an event that its stream waits for, or a wait of the host"));
        }
      }
    }
  }
}

/// What races with an access that this one comes after races with this one, too, if that is a
/// write, or another of the same kind in the stream.
void overlap_detector::keep(std::uint32_t operation, const operation_stamp& stamp,
                            const accesses& done) {
  for (const auto& [how, bytes] : done) {
    for (const auto& range : bytes) {
      std::set<record> replaced;
      const auto [first, last] = memory_.equal_range(range);
      for (auto known = first; known != last; ++known) {
        for (const record& each : known->second) {
          const known_operation& by = operations_[each.operation];
          const bool is_like_it = by.stream == stamp.stream && each.how.writes == how.writes &&
                                  each.how.is_atomic == how.is_atomic &&
                                  each.how.signals_host == how.signals_host;
          const bool replaces_any = how.writes && !how.is_atomic;
          if (each.operation != operation && (is_like_it || replaces_any) &&
              stamp.comes_after(by.stream, by.number)) {
            replaced.insert(each);
          }
        }
      }
      if (!replaced.empty()) memory_ -= std::make_pair(range, replaced);
      memory_ += std::make_pair(range, std::set<record>{{operation, how}});
    }
  }
}

void overlap_detector::share_with_host(std::uint64_t offset, std::size_t bytes) {
  shared_ += byte_range::right_open(offset, offset + bytes);
}

void overlap_detector::unshare_with_host(std::uint64_t offset) {
  if (const auto range = shared_.find(offset); range != shared_.end()) shared_ -= *range;
}

void overlap_detector::keep_for_host(std::uint32_t operation, const operation_stamp& stamp,
                                     const accesses& done) {
  if (shared_.empty()) return;
  not_awaited_operation kept{operation, stamp, {}};
  for (const auto& [how, bytes] : done) {
    byte_set& pages = how.writes ? kept.pages.written : kept.pages.read;
    for (const auto& range : byte_set(bytes & shared_)) {
      pages += byte_range::right_open(range.lower() / page_bytes * page_bytes,
                                      (range.upper() + page_bytes - 1) / page_bytes * page_bytes);
    }
  }
  if (!(kept.pages == page_uses{})) not_awaited_.push_back(std::move(kept));
}

page_uses overlap_detector::not_awaited() {
  std::erase_if(not_awaited_, [&](const not_awaited_operation& each) {
    return order.host_comes_after(each.stamp.stream, each.stamp.number);
  });
  page_uses all;
  for (const not_awaited_operation& each : not_awaited_) {
    all.written += each.pages.written;
    all.read += each.pages.read;
  }
  return all;
}

void overlap_detector::add_host_access(std::uint64_t offset, bool writes, const void* from) {
  const auto known = memory_.find(offset);
  if (known == memory_.end()) return;
  for (const record& earlier : known->second) {
    const known_operation& by = operations_[earlier.operation];
    if (order.host_comes_after(by.stream, by.number) || (!earlier.how.writes && !writes)) continue;
    if (!earlier.how.signals_host) {
      const auto number = static_cast<std::uint32_t>(operations_.size());
      operations_.push_back({{.text = "the host", .kernel = {}, .from = from}, 0, 0});
      report_(described(earlier, {number, {.writes = writes}}, offset,
                        "a wait of the host, as cudaDeviceSynchronize(), before it"));
    } else if (!writes) {
      for (const not_awaited_operation& each : not_awaited_)
        if (each.number == earlier.operation) order.host_waits_for(each.stamp.before);
    }
  }
}

simt::concerned_threads overlap_detector::concerned(const record& which) const {
  const host_operation& what = operations_[which.operation].what;
  return {fmt::format("the {} by {}", which.how.writes ? "write" : "read", what.text),
          which.how.site != nullptr ? which.how.site : what.from};
}

finding overlap_detector::described(const record& earlier, const record& later,
                                    std::uint64_t offset, const std::string& missing) const {
  const auto* const base = static_cast<const std::byte*>(simt::global_memory().base());
  const simt::fault race{.kind = simt::fault_kind::race,
                         .threads = {concerned(later), concerned(earlier)},
                         .address = simt::global_memory().place(base + offset),
                         .reason = "is not ordered after",
                         .missing = "missing: " + missing};
  const std::string& kernel = operations_[later.operation].what.kernel;
  return finding_of(finding_kind::race,
                    kernel.empty() ? operations_[earlier.operation].what.kernel : kernel, race);
}

}  // namespace cudart
