// A bound on every wait: a kernel that would wait for ever gives up and says who waited for what,
// because nothing on the host can stop a running kernel.
#pragma once

#include "finesync/device/atomic_ref.cuh"
#include "finesync/device/buffer.cuh"
#include "finesync/device/clock.cuh"
#include "finesync/device/machine.cuh"
#include "finesync/device/wait_report.hpp"

#include <cstdint>
#include <optional>
#include <type_traits>

namespace finesync {
inline namespace FINESYNC_ABI {

namespace detail {

/// Times are kept in units of 2^20 ns where 32 bits, which every GPU compares by itself, must do.
inline constexpr unsigned moved_bits = 20;

/// What a watchdog keeps in device memory, zeros at first. `Word` is cell for kernels, and for the
/// host's copy the plain type.
template <template <class> class Word>
struct watchdog_state {
  /// When the first wait had lasted half the limit; bit 0: one has lasted longer, and all give up.
  Word<std::uint64_t> alarm;
  /// That wait, and its thread.
  Word<std::uint64_t> since_ns;
  Word<std::uint64_t> until_ns;
  Word<std::uint32_t> block;
  Word<std::uint32_t> thread;
  Word<std::uint32_t> what;
  Word<std::uint32_t> which;
  /// 1 + from the alarm to the last wait that began, in units of 2^moved_bits ns.
  Word<std::uint32_t> moved;
};

}  // namespace detail

/// The kernel's side; trivially copyable, passed by value.
struct watchdog_ref {
  static constexpr std::uint32_t unnumbered = ~std::uint32_t{0};

  detail::watchdog_state<cell>* state;
  std::uint64_t limit_ns;
  std::uint32_t which = unnumbered;  ///< the lock, say, that is waited for; for the report

  /// The same watchdog, for waits for the object of this number.
  __device__ watchdog_ref watching(std::uint32_t number) const { return {state, limit_ns, number}; }

  /// Whether a wait has been ended. Orders nothing.
  __device__ bool has_fired() const { return (alarm().load(memory_order::relaxed) & 1) != 0; }

  __device__ atomic_ref<std::uint64_t, scope::device> alarm() const {
    return atomic_ref<std::uint64_t, scope::device>(state->alarm);
  }
};

/// Bounds one wait of one thread. The clock is read at the eighth poll and once in 1,024 after it,
/// so a poll costs one addition and one branch more than without. Once any thread has waited longer
/// than the limit, all others give up at their next check, so the kernel ends in about the limit.
class bounded_wait {
 public:
  /// \param what, which: for the report.
  __device__ explicit bounded_wait(const watchdog_ref& watchdog, awaited what = awaited::something)
      : bounded_wait(watchdog, what, watchdog.which) {}
  __device__ bounded_wait(const watchdog_ref& watchdog, awaited what, std::uint32_t which)
      : watchdog_(watchdog), what_(what), which_(which) {}

  /// Call once per unsuccessful poll. True: give up, and leave the kernel as soon as possible.
  __device__ bool timed_out() { return ++polls_ % polls_per_check == 0 && check(); }

  /// What was waited for has come; the next wait begins.
  __device__ void restart() {
    polls_ = first_polls;
    began_ = 0;
  }

 private:
  static constexpr unsigned polls_per_check = 1024;
  /// So that the clock is first read at the eighth poll: a poll under contention may take
  /// milliseconds, and the report compares when waits began.
  static constexpr unsigned first_polls = polls_per_check - 8;

  /// By the clock: whether the watchdog has fired, which it does where this wait lasts too long.
  __device__ bool check() {
    const std::uint64_t now = global_time_ns();
    const bool begins = began_ == 0;
    if (begins) began_ = now;
    std::uint64_t alarm = watchdog_.alarm().load(memory_order::relaxed);
    if (begins && alarm != 0 && (alarm & 1) == 0) tell_that_it_moves(alarm);
    if (now - began_ > watchdog_.limit_ns / 2 && alarm == 0) {
      const std::uint64_t raised = now & ~std::uint64_t{1};
      if (watchdog_.alarm().compare_exchange(alarm, raised, memory_order::relaxed)) alarm = raised;
    }
    if (now - began_ > watchdog_.limit_ns && (alarm & 1) == 0) alarm = fire(now, alarm);
    return (alarm & 1) != 0;
  }

  /// A wait begins after the alarm: a thread had got what it waited for, and went on.
  __device__ void tell_that_it_moves(std::uint64_t alarm) const {
    atomic_ref<std::uint32_t, scope::device>(watchdog_.state->moved)
        .fetch_max(1 + static_cast<std::uint32_t>((began_ - alarm) >> detail::moved_bits),
                   memory_order::relaxed);
  }

  /// All give up; the first thread to come here says who it is and what for it waits. \returns the
  /// alarm as it is then.
  __device__ std::uint64_t fire(std::uint64_t now, std::uint64_t alarm) const {
    if (watchdog_.alarm().compare_exchange(alarm, alarm | 1, memory_order::relaxed)) {
      detail::watchdog_state<cell>& state = *watchdog_.state;
      state.since_ns = began_;
      state.until_ns = now;
      state.block = blockIdx.x;
      state.thread = threadIdx.x;
      state.what = static_cast<std::uint32_t>(what_);
      state.which = which_;
    }
    return alarm | 1;
  }

  const watchdog_ref& watchdog_;
  awaited what_;
  std::uint32_t which_;
  unsigned polls_ = first_polls;
  std::uint64_t began_ = 0;
};

/// The host's side: owns the report. For kernels of one stream, its own.
class watchdog {
 public:
  /// \param limit_ns longest wait of any single thread, in nanoseconds of the device's global
  /// timer. \param home the stream whose kernels it watches.
  explicit watchdog(std::uint64_t limit_ns = default_watchdog_ns(), const stream& home = {})
      : state_(1, home), limit_ns_(limit_ns) {
    reset();
  }
  explicit watchdog(const stream& home) : watchdog(default_watchdog_ns(), home) {}

  void reset() { state_.fill_bytes(0); }

  /// True when a thread of a kernel since reset() gave up. Waits for the stream.
  bool fired() const { return report().has_value(); }

  /// Who gave up first, and what for it waited; nothing when nobody did. Waits for the stream.
  std::optional<wait_report> report() const {
    const state seen = state_.to_host()[0];
    if ((seen.alarm & 1) == 0) return std::nullopt;
    wait_report report{.block = seen.block,
                       .thread = seen.thread,
                       .what = static_cast<awaited>(seen.what),
                       .waited_ns = seen.until_ns - seen.since_ns};
    if (seen.which != watchdog_ref::unnumbered) report.which = seen.which;
    if (seen.moved != 0) {
      const std::uint64_t moved =
          seen.alarm + (std::uint64_t{seen.moved - 1} << detail::moved_bits);
      if (moved > seen.since_ns) report.moved_ns = moved - seen.since_ns;
    }
    return report;
  }

  watchdog_ref ref() const {
    // A cell has its type's size and bytes.
    return {reinterpret_cast<detail::watchdog_state<cell>*>(state_.data()), limit_ns_};
  }
  std::uint64_t limit_ns() const { return limit_ns_; }

 private:
  using state = detail::watchdog_state<std::type_identity_t>;

  buffer<state> state_;
  std::uint64_t limit_ns_;
};

}  // namespace FINESYNC_ABI
}  // namespace finesync
