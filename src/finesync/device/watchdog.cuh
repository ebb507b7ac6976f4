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
inline constexpr unsigned last_began_bits = 20;

/// What a watchdog keeps in device memory, zeros until it fires. `Word` is cell for kernels, and
/// for the host's copy the plain type.
template <template <class> class Word>
struct watchdog_state {
  Word<std::uint64_t> since_ns;  ///< when the wait began that was the first to last too long
  Word<std::uint64_t> until_ns;
  Word<std::uint32_t> block;
  Word<std::uint32_t> thread;
  Word<std::uint32_t> what;
  Word<std::uint32_t> which;
  Word<std::uint32_t> last_began;  ///< of the others' waits, after since_ns, in last_began_bits ns
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
  __device__ bool has_fired() const { return since_ns() != 0; }

  /// When that wait began, by the global timer; 0 when none was ended.
  __device__ std::uint64_t since_ns() const {
    return atomic_ref<std::uint64_t, scope::device>(state->since_ns).load(memory_order::relaxed);
  }
};

/// Bounds one wait of one thread. The clock is read once in 1,024 polls, so a poll costs one
/// addition and one branch more than without. Once any thread has waited longer than the limit, all
/// others give up at their next check, so the kernel ends in about the limit.
class bounded_wait {
 public:
  /// \param what, which: for the report.
  __device__ explicit bounded_wait(const watchdog_ref& watchdog, awaited what = awaited::something)
      : bounded_wait(watchdog, what, watchdog.which) {}
  __device__ bounded_wait(const watchdog_ref& watchdog, awaited what, std::uint32_t which)
      : watchdog_(watchdog), what_(what), which_(which) {}

  /// Call once per unsuccessful poll. True: give up, and leave the kernel as soon as possible.
  __device__ bool timed_out() {
    if (++polls_ % polls_per_check != 0) return false;
    const std::uint64_t now = global_time_ns();
    if (began_ == 0) began_ = now;
    if (now - began_ > watchdog_.limit_ns) report(now);
    const std::uint64_t ended = watchdog_.since_ns();
    if (ended == 0) return false;
    tell_last_began(ended);
    return true;
  }

  /// What was waited for has come; the next wait begins.
  __device__ void restart() {
    polls_ = 0;
    began_ = 0;
  }

 private:
  static constexpr unsigned polls_per_check = 1024;

  /// The first thread to come here says who it is and what for it waits, and all others give up.
  __device__ void report(std::uint64_t now) const {
    detail::watchdog_state<cell>& state = *watchdog_.state;
    std::uint64_t nobody = 0;
    if (!atomic_ref<std::uint64_t, scope::device>(state.since_ns)
             .compare_exchange(nobody, began_, memory_order::relaxed))
      return;
    state.until_ns = now;
    state.block = blockIdx.x;
    state.thread = threadIdx.x;
    state.what = static_cast<std::uint32_t>(what_);
    state.which = which_;
  }

  /// This thread's wait is given up for one that began at `ended`: how much later did this begin?
  __device__ void tell_last_began(std::uint64_t ended) const {
    if (began_ > ended)
      atomic_ref<std::uint32_t, scope::device>(watchdog_.state->last_began)
          .fetch_max(static_cast<std::uint32_t>((began_ - ended) >> detail::last_began_bits),
                     memory_order::relaxed);
  }

  const watchdog_ref& watchdog_;
  awaited what_;
  std::uint32_t which_;
  unsigned polls_ = 0;
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
    if (seen.since_ns == 0) return std::nullopt;
    return wait_report{
        .block = seen.block,
        .thread = seen.thread,
        .what = static_cast<awaited>(seen.what),
        .which = seen.which == watchdog_ref::unnumbered ? std::nullopt : std::optional(seen.which),
        .waited_ns = seen.until_ns - seen.since_ns,
        .others_began_ns = std::uint64_t{seen.last_began} << detail::last_began_bits};
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
