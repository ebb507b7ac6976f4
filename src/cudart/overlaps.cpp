#include <cudart/overlaps.hpp>
#include <simt/arena.hpp>
#include <simt/device_api.hpp>
#include <simt/source_position.hpp>

#include <fmt/format.h>

#include <algorithm>

namespace cudart {

namespace {

bool conflict(const access_kind& one, const access_kind& other) {
  return (one.writes || other.writes) && !(one.is_atomic && other.is_atomic);
}

/// "sum.cu:12" of "sum.cu:12, from sum.cu:30"
std::string innermost(const std::string& position) {
  return position.substr(0, position.find(','));
}

}  // namespace

void launch_accesses::saw(const simt::operation& op, bool wrote, const void* site) {
  const std::uint64_t begin = simt::global_memory().offset(op.address);
  const bool is_plain =
      op.kind == simt::op_kind::plain_load || op.kind == simt::op_kind::plain_store;
  const access_kind how{.writes = wrote, .is_atomic = !is_plain, .site = site};
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
          tell_(described(earlier, {operation, how}, at, before_wait));
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
                                  each.how.is_atomic == how.is_atomic;
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

finding overlap_detector::described(const record& earlier, const record& later,
                                    std::uint64_t offset, bool before_wait) const {
  const auto position = [&](const record& which) {
    const void* const site =
        which.how.site != nullptr ? which.how.site : operations_[which.operation].what.from;
    return site == nullptr ? std::string() : simt::source_position(site);
  };
  const auto text_of = [&](const record& which) {
    const host_operation& what = operations_[which.operation].what;
    const std::string at = position(which);
    return fmt::format("the {} by {}{}", which.how.writes ? "write" : "read", what.text,
                       at.empty() ? "" : " (" + at + ")");
  };
  finding what;
  what.kind = finding_kind::race;
  const std::string& kernel = operations_[later.operation].what.kernel;
  what.kernel = kernel.empty() ? operations_[earlier.operation].what.kernel : kernel;
  const auto* const base = static_cast<const std::byte*>(simt::global_memory().base());
  what.text =
      fmt::format("at {}, {} is not ordered after {}; missing: {}",
                  simt::global_memory().place(base + offset), text_of(later), text_of(earlier),
                  before_wait ? "griddepcontrol.wait before it (programmatic dependent launch)"
                              : "an event that its stream waits for, or a wait of the host");
  for (const record& each : {earlier, later})
    if (const std::string at = innermost(position(each)); !at.empty()) what.places.push_back(at);
  std::sort(what.places.begin(), what.places.end());
  return what;
}

}  // namespace cudart
