// A bound on every wait: a kernel that would wait for ever gives up and says so, because nothing on
// the host can stop a running kernel.
#pragma once

#include "finesync/device/atomic_ref.cuh"
#include "finesync/device/buffer.cuh"
#include "finesync/device/clock.cuh"
#include "finesync/device/machine.cuh"

#include <cstdint>

namespace finesync {
inline namespace FINESYNC_ABI {

/// The kernel's side; trivially copyable, passed by value.
struct watchdog_ref {
  cell<std::uint32_t>* fired;
  std::uint64_t limit_ns;
};

/// Bounds one wait of one thread. The clock is read once in 1,024 polls, so a poll costs one
/// addition and one branch more than without. Once any thread has waited longer than the limit, all
/// others give up at their next check, so the kernel ends in about the limit.
class bounded_wait {
 public:
  __device__ explicit bounded_wait(const watchdog_ref& watchdog) : watchdog_(watchdog) {}

  /// Call once per unsuccessful poll. True: give up, and leave the kernel as soon as possible.
  __device__ bool timed_out() {
    if (++polls_ % polls_per_check != 0) return false;
    const std::uint64_t now = global_time_ns();
    if (began_ == 0) began_ = now;
    const atomic_ref<std::uint32_t, scope::device> fired(*watchdog_.fired);
    if (now - began_ > watchdog_.limit_ns) fired.store(1, memory_order::relaxed);
    return fired.load(memory_order::relaxed) != 0;
  }

  /// What was waited for has come; the next wait begins.
  __device__ void restart() {
    polls_ = 0;
    began_ = 0;
  }

 private:
  static constexpr unsigned polls_per_check = 1024;
  const watchdog_ref& watchdog_;
  unsigned polls_ = 0;
  std::uint64_t began_ = 0;
};

/// The host's side: owns the flag. For kernels of one stream, its own.
class watchdog {
 public:
  /// \param limit_ns longest wait of any single thread, in nanoseconds of the device's global
  /// timer. \param home the stream whose kernels it watches.
  explicit watchdog(std::uint64_t limit_ns = default_watchdog_ns(), const stream& home = {})
      : fired_(1, home), limit_ns_(limit_ns) {
    reset();
  }
  explicit watchdog(const stream& home) : watchdog(default_watchdog_ns(), home) {}

  void reset() { fired_.fill_bytes(0); }

  /// True when a thread of a kernel since reset() gave up. Waits for the stream.
  bool fired() const { return fired_.to_host()[0] != 0; }

  watchdog_ref ref() const { return {fired_.cells(), limit_ns_}; }
  std::uint64_t limit_ns() const { return limit_ns_; }

 private:
  buffer<std::uint32_t> fired_;
  std::uint64_t limit_ns_;
};

}  // namespace FINESYNC_ABI
}  // namespace finesync
