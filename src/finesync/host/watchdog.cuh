// The owner of a watchdog, which bounds every wait of a kernel (device/watchdog.cuh), and its
// report.
#pragma once

#include "finesync/device/watchdog.cuh"
#include "finesync/host/buffer.cuh"
#include "finesync/host/machine.cuh"
#include "finesync/host/wait_report.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <type_traits>

namespace finesync::inline FINESYNC_ABI {

/// Owns the watchdog's state. For kernels of one stream, its own.
class watchdog {
 public:
  /// \param limit_ns longest wait of any single thread, in nanoseconds of the device's global
  /// timer; capped at one day.
  /// \param on the stream whose kernels it watches.
  explicit watchdog(std::uint64_t limit_ns = default_watchdog_ns(), const stream& on = {})
      : state_(1, on), limit_ns_(std::min(limit_ns, longest_ns)) {
    reset();
  }
  explicit watchdog(const stream& on) : watchdog(default_watchdog_ns(), on) {}

  void reset() { state_.fill_bytes(0); }

  /// Whether a wait has timed out since reset(). Waits for the stream.
  bool fired() const { return report().has_value(); }

  /// The first wait that timed out; empty if there is none. Waits for the stream.
  std::optional<wait_report> report() const {
    const state seen = state_.to_host()[0];
    if ((seen.alarm & detail::alarm_fired) == 0) return std::nullopt;
    wait_report report{.block = seen.block,
                       .thread = seen.thread,
                       .what = static_cast<awaited>(seen.what),
                       .waited_ns = in_ns(seen.wait_ended - seen.wait_began)};
    if (seen.which != watchdog_ref::unnumbered) report.which = seen.which;
    const std::uint32_t moved = (seen.alarm & ~detail::alarm_flags) - seen.wait_began;
    // The alarm may come from an earlier kernel.
    if ((seen.alarm & detail::alarm_moved) != 0 && static_cast<std::int32_t>(moved) > 0)
      report.last_progress_ns = in_ns(moved);
    return report;
  }

  watchdog_ref ref() const {
    // At least the limit, wherever in a tick a wait begins.
    const auto limit = static_cast<std::uint32_t>(limit_ns_ >> detail::tick_bits) + 2;
    // A cell has its type's size and bytes.
    return {reinterpret_cast<detail::watchdog_state<cell>*>(state_.raw_pointer()), limit,
            limit / 2};
  }
  std::uint64_t limit_ns() const { return limit_ns_; }

 private:
  using state = detail::watchdog_state<std::type_identity_t>;
  static constexpr std::uint64_t longest_ns = 86'400'000'000'000;  // in ticks, 31 bits

  static std::uint64_t in_ns(std::uint32_t ticks) {
    return std::uint64_t{ticks} << detail::tick_bits;
  }

  buffer<state> state_;
  std::uint64_t limit_ns_;
};

}  // namespace finesync::inline FINESYNC_ABI
