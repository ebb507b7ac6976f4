// SPDX-License-Identifier: Apache-2.0
// Ends a launch in which nothing changes any more.
#pragma once

#include <simt/memory/memory_mode.hpp>
#include <simt/threads/thread_turns.hpp>

#include <algorithm>
#include <cstdint>

namespace simt {

/// Threads that only poll are given up soon; others may be busy reading or computing, and get much
/// longer.
class launch_progress {
 public:
  launch_progress(memory_mode& memory, thread_turns& turns, const resident_blocks& resident)
      : memory_(memory), turns_(turns), resident_(resident) {}

  /// A thread has begun or ended.
  void note() { last_ = turns_.time(); }

  /// After an operation. Does not return if the launch is given up.
  void check() {
    if (memory_.changes() != seen_changes_) {
      seen_changes_ = memory_.changes();
      note();
    } else if (turns_.time() >=
               std::max(last_ + between_checks + 2 * turns_.longest_sleep(), next_check_)) {
      look_closer();
    }
  }

  /// The running thread has made its operation: others run, if anything changes.
  void pass() {
    check();
    turns_.pass();
  }

 private:
  static constexpr std::uint64_t between_checks = 64 * thread_turns::round;

  void look_closer();
  bool all_poll() const;
  bool all_have_had_turns(std::uint64_t turns) const;

  memory_mode& memory_;
  thread_turns& turns_;
  const resident_blocks& resident_;
  std::uint64_t last_ = 0;        ///< last change of memory or end of a thread
  std::uint64_t next_check_ = 0;  ///< whether all threads poll
  std::uint64_t seen_changes_ = 0;
};

}  // namespace simt
