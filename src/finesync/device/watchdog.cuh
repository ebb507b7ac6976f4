// A bound on every wait: a kernel that would wait for ever gives up and says who waited for what,
// because nothing on the host can stop a running kernel.
#pragma once

#include "finesync/device/atomic_ref.cuh"
#include "finesync/device/awaited.hpp"
#include "finesync/device/clock.cuh"

#include <cstdint>

namespace finesync {
inline namespace FINESYNC_ABI {

namespace detail {

/// A watchdog counts time in ticks of 2^16 ns, so that a wait keeps it in one register.
inline constexpr unsigned tick_bits = 16;

/// What a watchdog keeps in device memory, zeros at first. `Word` is cell for kernels, and for the
/// host's copy the plain type.
template <template <class> class Word>
struct watchdog_state {
  /// The wait that was the first to last longer than the limit, and its thread.
  Word<std::uint32_t> wait_began;
  Word<std::uint32_t> wait_ended;
  Word<std::uint32_t> block;
  Word<std::uint32_t> thread;
  Word<std::uint32_t> what;
  Word<std::uint32_t> which;
  /// A time, of which the lowest bits are flags, below: at first when a wait had lasted half the
  /// limit; then when last a wait began or a thread was done.
  Word<std::uint32_t> alarm;
};

/// That wait has been given up, and all others are.
inline constexpr std::uint32_t alarm_fired = 1;
/// A wait began after the alarm, or a thread was done: it had got what it waited for.
inline constexpr std::uint32_t alarm_moved = 2;
inline constexpr std::uint32_t alarm_flags = alarm_fired | alarm_moved;

/// Never 0.
__device__ inline std::uint32_t now_in_ticks() {
  return static_cast<std::uint32_t>(global_time_ns() >> tick_bits) | 1;
}

}  // namespace detail

/// The kernel's side; trivially copyable, passed by value.
struct watchdog_ref {
  static constexpr std::uint32_t unnumbered = ~std::uint32_t{0};

  detail::watchdog_state<cell>* state;
  std::uint32_t limit;               ///< in ticks
  std::uint32_t half_limit;          ///< given, so that a check needs no register for it
  std::uint32_t which = unnumbered;  ///< the lock, say, that is waited for; for the report

  /// The same watchdog, for waits for the object of this number.
  __device__ watchdog_ref watching(std::uint32_t number) const {
    return {state, limit, half_limit, number};
  }

  /// Whether a wait has been ended. Orders nothing.
  __device__ bool has_fired() const {
    return (alarm().load(memory_order::relaxed) & detail::alarm_fired) != 0;
  }

  /// For a thread that got all it waited for and leaves its kernel: that is a sign of life, which a
  /// report counts. A wait that begins is one by itself. Orders nothing.
  __device__ void tell_done() const {
    const std::uint32_t seen = alarm().load(memory_order::relaxed);
    if (seen != 0 && (seen & detail::alarm_fired) == 0)
      raise(seen, detail::now_in_ticks(), detail::alarm_moved);
  }

  __device__ atomic_ref<std::uint32_t, scope::device> alarm() const {
    return atomic_ref<std::uint32_t, scope::device>(state->alarm);
  }

  /// The alarm becomes a time and flags, unless another thread has been quicker.
  __device__ void raise(std::uint32_t seen, std::uint32_t now, std::uint32_t flags) const {
    alarm().compare_exchange(seen, (now & ~detail::alarm_flags) | flags, memory_order::relaxed);
  }
};

/// Bounds one wait of one thread. The clock is read at the 64th poll and once in 1,024 after it, so
/// a poll costs one addition and one branch more than without. Once any thread has waited longer
/// than the limit, all others give up at their next check, so the kernel ends in about the limit.
///
/// It needs two registers, and few at a check: a lock in a kernel of 32 registers a thread would
/// spill, and next to an acquire fence, which empties the L1, what was spilled comes back from the
/// L2.
class bounded_wait {
 public:
  /// \param what, which: for the report.
  __device__ explicit bounded_wait(const watchdog_ref& watchdog,
                                   awaited what = awaited::unspecified)
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
  /// So that the clock is first read at the 64th poll. Not much later: a poll under contention may
  /// take milliseconds, and the report compares when waits began. Not much earlier: a check is a
  /// round trip to the L2, and within a hand-off or a barrier of few polls it would be waited for.
  static constexpr unsigned first_polls = polls_per_check - 64;

  /// By the clock: whether the watchdog has fired, which it does where this wait lasts too long.
  __device__ bool check() {
    const std::uint32_t now = detail::now_in_ticks();
    std::uint32_t alarm = watchdog_.alarm().load(memory_order::relaxed);
    if ((alarm & detail::alarm_fired) != 0) return true;
    if (began_ == 0) {
      began_ = now;
      if (alarm != 0) watchdog_.raise(alarm, now, detail::alarm_moved);
      return false;
    }
    if (now - began_ > watchdog_.limit) {
      fire(now);
      return true;
    }
    if (alarm == 0 && now - began_ > watchdog_.half_limit) watchdog_.raise(alarm, now, 0);
    return false;
  }

  /// All give up; the first thread to come here says who it is and what for it waits.
  __device__ void fire(std::uint32_t now) const {
    const std::uint32_t before =
        watchdog_.alarm().fetch_or(detail::alarm_fired, memory_order::relaxed);
    if ((before & detail::alarm_fired) != 0) return;
    detail::watchdog_state<cell>& state = *watchdog_.state;
    state.wait_began = began_;
    state.wait_ended = now;
    state.block = blockIdx.x;
    state.thread = threadIdx.x;
    state.what = static_cast<std::uint32_t>(what_);
    state.which = which_;
  }

  const watchdog_ref& watchdog_;
  awaited what_;
  std::uint32_t which_;
  unsigned polls_ = first_polls;
  std::uint32_t began_ = 0;  ///< by the clock at the first check
};

}  // namespace FINESYNC_ABI
}  // namespace finesync
