// What a run of the executor can be set to: which GPU to imitate and which of its many legal
// executions to take.
#pragma once

#include <simt/gpu_model.hpp>

#include <cstddef>
#include <cstdint>

namespace simt {

enum class schedule_kind {
  round_robin,  ///< every runnable thread one operation in turn: the default
  random,       ///< the next thread is drawn from the seed
  /// Before Volta: a warp has one program counter and reconverges after branches. Needs kernels
  /// compiled with -O0, whose code is laid out like their source; an optimizer moves loop exits.
  lockstep,
};

enum class memory_kind {
  strong,  ///< every store is seen at once by all
  weak,    ///< store buffers per thread and block, a stale L1 per block: missing fences show
};

enum class checking {
  none,
  races,  ///< accesses that nothing orders, see race_detector.hpp; in strong memory alone
};

/// A preemption on top of a schedule (of any but lockstep): a thread stands aside behind a turn of
/// its own. Trying all turns of a small kernel finds what two steps of a thread miss when much
/// happens in between, which random schedules hardly ever show.
struct preemption {
  std::uint64_t behind = 0;  ///< the number of the turn, from 1; 0: none
  std::uint64_t length = 0;  ///< turns that others have meanwhile, unless all of them wait
  std::uint32_t lanes = 32;  ///< turns count of the first so many lanes of each warp
};

struct settings {
  gpu_model gpu = gpu_models().front();
  schedule_kind schedule = schedule_kind::round_robin;
  memory_kind memory = memory_kind::strong;
  checking check = checking::none;
  std::uint64_t seed = 1;  ///< same seed, same run, on any machine
  preemption preempted;
  std::size_t stack_bytes = 8 * 1024;  ///< per thread
};

/// The random schedule of a seed, all else as it is by default.
inline settings random_schedule(std::uint64_t seed, memory_kind memory = memory_kind::strong) {
  settings how;
  how.schedule = schedule_kind::random;
  how.memory = memory;
  how.seed = seed;
  return how;
}

/// What the next launch of the calling OS thread uses. Each OS thread has its own, so that runs can
/// go on side by side without changing each other's results.
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
