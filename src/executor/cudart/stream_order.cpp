// SPDX-License-Identifier: Apache-2.0
#include <cudart/stream_order.hpp>

#include <algorithm>

namespace cudart {

void join(stream_clock& to, const stream_clock& other) {
  for (const auto& [stream, number] : other) {
    std::uint64_t& known = to[stream];
    known = std::max(known, number);
  }
}

std::uint32_t stream_order::add(bool meets_default) {
  const auto number = static_cast<std::uint32_t>(streams_.size() + 1);
  streams_[number].meets_default = meets_default;
  return number;
}

/// What the stream's next operation comes after: what the host has waited for, too.
stream_clock stream_order::clock_of(std::uint32_t which) const {
  stream_clock clock = host_;
  if (which == default_stream) {
    join(clock, default_);
    for (const auto& [number, each] : streams_)
      if (each.meets_default) join(clock, each.clock);
    return clock;
  }
  const known_stream& own = streams_.at(which);
  join(clock, own.clock);
  if (own.meets_default) join(clock, default_);
  return clock;
}

operation_stamp stream_order::begin(std::uint32_t which) {
  operation_stamp stamp{.stream = which, .number = ++begun_[which], .before = clock_of(which)};
  stamp.before[which] = stamp.number;
  (which == default_stream ? default_ : streams_.at(which).clock) = stamp.before;
  return stamp;
}

void stream_order::wait(std::uint32_t which, const stream_clock& event) {
  join(which == default_stream ? default_ : streams_.at(which).clock, event);
}

void stream_order::host_waits_for(const stream_clock& event) {
  join(host_, event);
}

void stream_order::host_waits_for_stream(std::uint32_t which) {
  join(host_, clock_of(which));
}

bool stream_order::host_comes_after(std::uint32_t which, std::uint64_t number) const {
  const auto found = host_.find(which);
  return found != host_.end() && found->second >= number;
}

void stream_order::host_waits_for_all() {
  join(host_, default_);
  for (const auto& [number, each] : streams_) join(host_, each.clock);
}

}  // namespace cudart
