// SPDX-License-Identifier: Apache-2.0
// Settings of a run: the GPU to model, and which of the legal executions to take.
#pragma once

#include <simt/fault.hpp>
#include <simt/gpu_model.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>

namespace simt {

struct operation;

enum class schedule_kind {
  /// Every runnable thread performs one operation in turn: the default. While races are checked, a
  /// turn does not end with a plain access, but for every 64th.
  round_robin,
  random,  ///< the next thread is drawn from the seed
  /// Before Volta: a warp has one program counter and reconverges after branches. Needs kernels
  /// compiled with -O0, so that the code is laid out like its source; an optimizer moves loop
  /// exits.
  lockstep,
};

enum class memory_kind {
  strong,  ///< every store is visible to all threads at once
  weak,    ///< store buffers per thread and block, a stale L1 per block: reveals missing fences
};

enum class checking {
  none,
  races,  ///< unordered accesses, see race_detector.hpp; only in strong memory
};

/// A preemption added to a schedule (any but lockstep): a thread is held back after one of its
/// operations. Some faults need many operations of other threads between two steps of a thread.
/// Trying every position of a small kernel finds them; random schedules hardly ever do.
struct preemption {
  std::uint64_t after_turn = 0;  ///< number of the operation, from 1; 0: none
  std::uint64_t length = 0;      ///< operations of other threads meanwhile, unless all wait
  std::uint32_t lanes = 32;      ///< count operations of only this many lanes per warp, the first
};

/// AddressSanitizer surrounds local variables with red zones.
#ifdef __SANITIZE_ADDRESS__
inline constexpr std::size_t default_stack_bytes = 64 * 1024;
#else
inline constexpr std::size_t default_stack_bytes = 8 * 1024;
#endif

/// Is called for every access of a launch to global memory: for those who compare launches.
class access_observer {
 public:
  virtual ~access_observer() = default;
  /// On a fiber: it must not need much stack. \param wrote whether the access may have changed it.
  virtual void saw(const operation& op, bool wrote, const void* site) = 0;
};

struct settings {
  gpu_model gpu = gpu_models().front();
  schedule_kind schedule = schedule_kind::round_robin;
  memory_kind memory = memory_kind::strong;
  checking check = checking::none;
  /// Races are looked for in this many blocks of a launch, the first and the last; 0: in all. The
  /// others run, too, and faster.
  std::uint32_t checked_blocks = 0;
  /// Called with each race of a launch, once per pair of places in the code, and the launch goes
  /// on. Not called on a fiber. Empty: the launch ends at the first race.
  std::function<void(const fault&)> on_race;
  /// With `on_race`: also called with reads of memory that nothing has written: of shared memory,
  /// if races are checked, and of what arena::watch() has marked.
  bool unset_reads = false;
  access_observer* observer = nullptr;  ///< null: none. It lives as long as the launch
  std::uint64_t seed = 1;               ///< same seed, same run, on any machine
  preemption preempted;
  /// Nominal time after which a launch is given up even if it still changes memory: by default as
  /// long as 20 million operations of every thread take.
  std::uint64_t longest_launch_ns = 10'000'000'000;
  /// Basic blocks that a thread may enter, or loops that it may pass in PTX, until its next device
  /// operation; more than that is a loop that waits for nothing.
  std::int32_t longest_raw_loop = 1 << 27;
  std::uint64_t clock_starts_ns = 0;              ///< what the clock shows when a launch begins
  std::size_t stack_bytes = default_stack_bytes;  ///< per thread
};

/// The random schedule of a seed, with all other settings at their defaults.
inline settings random_schedule(std::uint64_t seed, memory_kind memory = memory_kind::strong) {
  settings how;
  how.schedule = schedule_kind::random;
  how.memory = memory;
  how.seed = seed;
  return how;
}

/// The settings with which each OS thread begins. To be changed before any thread has begun.
settings& initial_settings();

/// Settings of the next launch of the calling OS thread. Each OS thread has its own, so parallel
/// runs do not change each other's results.
settings& current_settings();

/// Sets the calling thread's settings for a lifetime.
class scoped_settings {
 public:
  explicit scoped_settings(const settings& s) : saved_(current_settings()) {
    current_settings() = s;
  }
  ~scoped_settings() { current_settings() = saved_; }
  scoped_settings(const scoped_settings&) = delete;
  scoped_settings& operator=(const scoped_settings&) = delete;

 private:
  settings saved_;
};

}  // namespace simt
