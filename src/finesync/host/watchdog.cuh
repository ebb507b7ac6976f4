// SPDX-License-Identifier: Apache-2.0
// The owner of a watchdog, which bounds every wait of a kernel (device/watchdog.cuh), and its
// report.
#pragma once

#include "finesync/device/watchdog.cuh"
#include "finesync/host/buffer.cuh"
#include "finesync/host/machine.cuh"
#include "finesync/host/wait_report.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <optional>
#include <thread>
#include <type_traits>
#include <vector>

namespace finesync::inline FINESYNC_ABI {

/// Owns the watchdog's state. For kernels of one stream, its own.
class watchdog {
 public:
  /// \param limit_ns longest wait of any single thread, in nanoseconds of the device's global
  /// timer; capped at one day.
  /// \param on the stream whose kernels it watches.
  explicit watchdog(std::uint64_t limit_ns, const stream& on = {})
      : words_(state_words + detail::wait_posts * post_words, on),
        limit_ns_(std::min(limit_ns, longest_ns)) {
    reset();
  }
  /// The machine's own limit, which --watchdog-ms changes. If it is not changed, the host
  /// executor ends no wait as long as other threads make progress.
  explicit watchdog(const stream& on = {}) : watchdog(default_watchdog_ns(), on) {
#ifdef FINESYNC_HOST_EXECUTOR
    patient_ = has_default_watchdog();
    reset();
#endif
  }

  void reset() {
    words_.fill_bytes(0);
#ifdef FINESYNC_HOST_EXECUTOR
    reinterpret_cast<state*>(words_.raw_pointer())->patient = patient_ ? 1 : 0;
#endif
  }

  /// Whether a wait has timed out since reset(). Waits for the stream.
  bool fired() const {
    return report().has_value();
  }

  /// The first wait that timed out; empty if there is none. Waits for the stream.
  std::optional<wait_report> report() const {
    std::array<std::uint32_t, state_words> first;
    words_.copy_first_to(first);
    const auto seen = std::bit_cast<state>(first);
    if ((seen.alarm & detail::alarm_fired) == 0) return std::nullopt;
    wait_report report{.block = seen.block,
                       .thread = seen.thread,
                       .what = static_cast<awaited>(seen.what),
                       .which = number(seen.which),
                       .waited_ns = in_ns(seen.wait_ended - seen.wait_began)};
    const std::uint32_t moved = (seen.alarm & ~detail::alarm_flags) - seen.wait_began;
    // The alarm may come from an earlier kernel.
    if ((seen.alarm & detail::alarm_moved) != 0 && static_cast<std::int32_t>(moved) > 0)
      report.last_progress_ns = in_ns(moved);
    // The first to give up may have ended the waits of others, which were late just before.
    const std::uint32_t just_before = seen.wait_ended - ref().limit / 16;
    report.all = waits_in(words_.to_host(), [&](const post& p, std::size_t /*at*/) {
      return p.turn != 0 && static_cast<std::int32_t>(p.turn - just_before) >= 0;
    });
    return report;
  }

  /// Who waits late, while the kernel runs: from an eighth of the limit on. Takes a sixteenth of
  /// the limit, and 60 ms at least, for two looks at the posts: who renews its own still waits (a
  /// wait that polls in bursts looks at the clock every 20 ms or so). Waits for no stream.
  /// (On the host executor no kernel runs meanwhile: after a timeout, those who waited then.)
  waiting_blocks waits() const {
    const device_guard here(words_.own_stream().device());
    const owned_stream aside;
    const std::vector<std::uint32_t> before = words_.to_host(aside);
    std::this_thread::sleep_for(std::chrono::nanoseconds(std::max(limit_ns_ / 16, renewed_ns)));
    return waits_in(words_.to_host(aside),
                    [&](const post& p, std::size_t at) { return p.turn != before[at]; });
  }

  watchdog_ref ref() const {
    // At least the limit, wherever in a tick a wait begins.
    const auto limit = static_cast<std::uint32_t>(limit_ns_ >> detail::tick_bits) + 2;
    // A cell has its type's size and bytes.
    return {reinterpret_cast<detail::watchdog_state<cell>*>(words_.raw_pointer()), limit,
            limit / 2};
  }
  std::uint64_t limit_ns() const {
    return limit_ns_;
  }

 private:
  using state = detail::watchdog_state<std::type_identity_t>;
  using post = detail::wait_post<std::type_identity_t>;
  static constexpr std::size_t state_words = sizeof(state) / sizeof(std::uint32_t);
  static constexpr std::size_t post_words = sizeof(post) / sizeof(std::uint32_t);
  static constexpr std::uint64_t renewed_ns = 60'000'000;
  static constexpr std::uint64_t longest_ns = 86'400'000'000'000;  // in ticks, 31 bits

  static std::uint64_t in_ns(std::uint32_t ticks) {
    return std::uint64_t{ticks} << detail::tick_bits;
  }

  static std::optional<std::uint32_t> number(std::uint32_t value) {
    if (value == watchdog_ref::unnumbered) return std::nullopt;
    return value;
  }

  /// The posts of waits that the watchdog has ended, and of those that `lasts` takes for
  /// unfinished.
  template <class Lasts>
  static waiting_blocks waits_in(const std::vector<std::uint32_t>& words, Lasts lasts) {
    waiting_blocks all;
    for (std::size_t at = state_words; at < words.size(); at += post_words) {
      post p;
      std::memcpy(&p, &words[at], sizeof p);
      if (p.ended == 0 && !lasts(p, at)) continue;
      all.blocks = std::max(all.blocks, p.blocks);
      all.waits.push_back({.block = p.block,
                           .thread = p.thread,
                           .what = static_cast<awaited>(p.what),
                           .which = number(p.which),
                           .holds = number(p.holds),
                           .seen = p.seen,
                           .wanted = p.wanted,
                           .waited_ns = in_ns(p.until - p.began)});
      detail::live_memory::of_process().with_label_at(
          reinterpret_cast<const void*>(p.where), [&](const owner_label& of, std::size_t offset) {
            late_wait& wait = all.waits.back();
            wait.object = object_text(of, offset);
            if (p.seen != p.wanted) wait.state = state_text(of, p.seen, p.wanted);
          });
    }
    if (all.blocks > detail::wait_posts) all.blocks = 0;  // some share a slot
    std::sort(all.waits.begin(), all.waits.end(),
              [](const late_wait& a, const late_wait& b) { return a.block < b.block; });
    return all;
  }

  buffer<std::uint32_t> words_;  ///< a state, then the posts
  std::uint64_t limit_ns_;
#ifdef FINESYNC_HOST_EXECUTOR
  bool patient_ = false;
#endif
};

}  // namespace finesync::inline FINESYNC_ABI
