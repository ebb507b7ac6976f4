// SPDX-License-Identifier: Apache-2.0
// A bound on every wait. Nothing on the host can stop a running kernel, so a kernel that would wait
// forever gives up and reports which thread waited for what. Long before, late waits tell the host
// who waits for what (wait_post.cuh).
#pragma once

#include "finesync/device/atomic_ref.cuh"
#include "finesync/device/awaited.hpp"
#include "finesync/device/clock.cuh"
#include "finesync/device/numbering.cuh"
#include "finesync/device/ptx/computed_here.cuh"
#include "finesync/device/wait_post.cuh"

#include <cstdint>

namespace finesync::inline FINESYNC_ABI {

namespace detail {

/// A watchdog counts time in ticks of 2^16 ns, so that a wait keeps it in one register.
inline constexpr unsigned tick_bits = 16;

/// A watchdog's state in device memory, initially zero, followed by the posts of late waits.
/// `Word` is cell in kernels, and the plain type for the host's copy.
template <template <class> class Word>
struct alignas(64) watchdog_state {
  /// The first wait that exceeded the limit, and its thread.
  Word<std::uint32_t> wait_began;
  Word<std::uint32_t> wait_ended;
  Word<std::uint32_t> block;
  Word<std::uint32_t> thread;
  Word<std::uint32_t> what;
  Word<std::uint32_t> which;
  /// A time stamp with flags (below) in its lowest bits. First set when a wait has lasted half the
  /// limit; then updated when a wait begins or a thread finishes.
  Word<std::uint32_t> alarm;
  /// On the host executor alone: whether a wait may exceed the limit while other threads go on.
  Word<std::uint32_t> patient;
};

/// The reported wait has timed out; all other waits end too.
inline constexpr std::uint32_t alarm_fired = 1;
/// After the alarm a wait began or a thread finished, so its earlier wait had succeeded.
inline constexpr std::uint32_t alarm_moved = 2;
inline constexpr std::uint32_t alarm_flags = alarm_fired | alarm_moved;

/// Never 0.
__device__ inline std::uint32_t now_in_ticks() {
  return static_cast<std::uint32_t>(global_time_ns() >> tick_bits) | 1;
}

}  // namespace detail

/// The device side; trivially copyable, passed by value.
struct watchdog_ref {
  static constexpr std::uint32_t unnumbered = ~std::uint32_t{0};

  detail::watchdog_state<cell>* state;
  std::uint32_t limit;               ///< in ticks
  std::uint32_t half_limit;          ///< stored, so that a check needs no register for it
  std::uint32_t which = unnumbered;  ///< index of the awaited object, such as a lock
  std::uint32_t holds = unnumbered;  ///< index of an object that the waiting thread holds

  /// The same watchdog for waits on the object with this index.
  __device__ watchdog_ref watching(std::uint32_t number) const {
    return {state, limit, half_limit, number, holds};
  }
  /// The same watchdog for waits of a thread that holds the object with this index, so that a
  /// report tells whom others wait for.
  __device__ watchdog_ref holding(std::uint32_t number) const {
    return {state, limit, half_limit, which, number};
  }

  /// Whether a wait has timed out. No ordering.
  __device__ bool has_fired() const {
    return (alarm().load(memory_order::relaxed) & detail::alarm_fired) != 0;
  }

  /// For a thread that leaves its kernel after all its waits succeeded: records progress for the
  /// report. The start of a wait records it too. No ordering.
  __device__ void report_done() const {
    const std::uint32_t seen = alarm().load(memory_order::relaxed);
    if (seen != 0 && (seen & detail::alarm_fired) == 0)
      raise(seen, detail::now_in_ticks(), detail::alarm_moved);
  }

  /// One slot per block.
  __device__ detail::wait_post<cell>* posts() const {
    return reinterpret_cast<detail::wait_post<cell>*>(state + 1);
  }

  __device__ atomic_ref<std::uint32_t, scope::device> alarm() const {
    return atomic_ref<std::uint32_t, scope::device>(state->alarm);
  }

  /// Sets the alarm to a time and flags, unless another thread has changed it since `seen`.
  __device__ void raise(std::uint32_t seen, std::uint32_t now, std::uint32_t flags) const {
    alarm().compare_exchange(seen, (now & ~detail::alarm_flags) | flags, memory_order::relaxed);
  }
};

/// Bounds one wait of one thread. It reads the clock at the 64th poll and then every 1,024 polls,
/// so it adds one addition and one branch to a poll. (poll_in_a_row() needs no branch of its own,
/// and await_by_warp() counts the polls itself.)
/// Once any thread has waited longer than the limit, all others give up at their next check, so the
/// kernel ends after about the limit. From an eighth of the limit on, a wait posts what it waits
/// for.
///
/// It needs two registers, and few more at a check: a lock in a kernel with 32 registers per thread
/// would spill. Next to an acquire fence, which invalidates the L1, spilled values come back from
/// the L2.
class bounded_wait {
 public:
  static constexpr unsigned polls_per_check = 1024;
  /// Makes the 64th poll the first to read the clock. A much later check would be too late: a poll
  /// under contention may take milliseconds, and the report compares when waits began. A much
  /// earlier check would delay a hand-off or barrier of few polls by a round trip to the L2.
  static constexpr unsigned first_polls = polls_per_check - 64;

  /// \param what, which: for the report.
  __device__ explicit bounded_wait(const watchdog_ref& watchdog,
                                   awaited what = awaited::unspecified)
      : bounded_wait(watchdog, what, watchdog.which) {}
  /// \param began began() of the same wait at its last check.
  __device__ bounded_wait(const watchdog_ref& watchdog, awaited what, std::uint32_t which,
                          std::uint32_t began = 0)
      : watchdog_(watchdog), what_(what), which_(which), began_(began) {}

  /// Call once per unsuccessful poll. If true, give up and leave the kernel as soon as possible.
  /// \param tell returns wait_evidence; called only for reports.
  template <class Tell = no_evidence>
  __device__ bool timed_out(Tell tell = {}) {
    return ++polls_ % polls_per_check == 0 && check(tell);
  }

  /// The same for a caller that counts its polls: call once per thousand or so.
  template <class Tell = no_evidence>
  __device__ bool check(Tell tell = {}) {
#ifdef FINESYNC_HOST_EXECUTOR
    const wait_evidence last = tell();
    simt::note_wait(last.where, last.seen, last.wanted);
#endif
    const std::uint32_t now = detail::now_in_ticks();
    const std::uint32_t alarm = watchdog_.alarm().load(memory_order::relaxed);
    if ((alarm & detail::alarm_fired) == 0) {
      if (began_ == 0) {
        began_ = now;
        if (alarm != 0) watchdog_.raise(alarm, now, detail::alarm_moved);
        return false;
      }
      const std::uint32_t waited = now - began_;
      if (waited <= watchdog_.limit) {
        if (alarm == 0 && waited > watchdog_.half_limit) watchdog_.raise(alarm, now, 0);
        if (waited > computed_here(watchdog_.limit) / 8) post(now, tell);
        return false;
      }
#ifdef FINESYNC_HOST_EXECUTOR
      if (others_go_on(alarm, now)) {
        began_ = now - watchdog_.half_limit;
        return false;
      }
#endif
      fire(now);
    }
    if (began_ != 0) post_end(now, tell);  // else it has only begun
    return true;
  }

  /// The time of the first check, in ticks; 0 before it.
  __device__ std::uint32_t began() const {
    return began_;
  }

  /// The wait has succeeded; the next one begins.
  __device__ void restart() {
    polls_ = first_polls;
    began_ = 0;
  }

 private:
#ifdef FINESYNC_HOST_EXECUTOR
  /// Whether this wait is to count from half the limit on once more: a simulated kernel is slow,
  /// and its default limit is no judgement on it.
  bool others_go_on(std::uint32_t alarm, std::uint32_t now) const {
    return watchdog_.state->patient != 0 && (alarm & detail::alarm_moved) != 0 &&
           now - (alarm & ~detail::alarm_flags) < watchdog_.half_limit;
  }
#endif

  /// Makes all waits end; the first thread to get here records its own wait.
  __device__ void fire(std::uint32_t now) const {
    const std::uint32_t before =
        watchdog_.alarm().fetch_or(detail::alarm_fired, memory_order::relaxed);
    if ((before & detail::alarm_fired) != 0) return;
    detail::watchdog_state<cell>& state = *watchdog_.state;
    state.wait_began = began_;
    state.wait_ended = now;
    state.block = block_rank();
    state.thread = thread_rank();
    state.what = static_cast<std::uint32_t>(what_);
    state.which = which_;
  }

  __device__ detail::wait_post<cell>& slot() const {
    return watchdog_.posts()[block_read_here() % detail::wait_posts];
  }

  /// Renews the block's post once in a thirty-second of the limit, whichever thread comes first.
  /// (A compare-and-swap would say so too, but takes more registers.)
  template <class Tell>
  __device__ void post(std::uint32_t now, Tell tell) const {
    const atomic_ref<std::uint32_t, scope::device> turn(slot().turn);
    const std::uint32_t last = turn.load(memory_order::relaxed);
    if (last != 0 && now - last < computed_here(watchdog_.limit) / 32) return;
    if (turn.exchange(now, memory_order::relaxed) == last) write(now, tell());
  }

  /// The watchdog ends this wait; the block's first such post stays.
  template <class Tell>
  __device__ void post_end(std::uint32_t now, Tell tell) const {
    const atomic_ref<std::uint32_t, scope::device> ended(slot().ended);
    if (ended.exchange(1, memory_order::relaxed) == 0) write(now, tell());
  }

  __device__ void write(std::uint32_t now, const wait_evidence& evidence) const {
    const auto put = [](auto& to, auto value) {
      atomic_ref<decltype(value), scope::device>(to).store(value, memory_order::relaxed);
    };
    detail::wait_post<cell>& post = slot();
    put(post.began, began_);
    put(post.until, now);
    put(post.block, block_read_here());
    put(post.blocks, grid_read_here());
    put(post.thread, std::uint32_t{thread_rank()});
    put(post.what, static_cast<std::uint32_t>(what_));
    put(post.which, which_);
    put(post.holds, watchdog_.holds);
    put(post.seen, evidence.seen);
    put(post.wanted, evidence.wanted);
    put(post.where, reinterpret_cast<std::uint64_t>(evidence.where));
  }

  const watchdog_ref& watchdog_;
  awaited what_;
  std::uint32_t which_;
  unsigned polls_ = first_polls;
  std::uint32_t began_;
};

}  // namespace finesync::inline FINESYNC_ABI
