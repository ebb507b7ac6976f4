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
  static constexpr std::uint32_t fewest_polls = 8;                // that make a thread a waiter
  static constexpr std::uint64_t patience_rounds = 1 << 12;       // when all threads poll
  static constexpr std::uint64_t long_patience_rounds = 1 << 18;  // in any case
  static constexpr std::uint64_t between_checks = 64 * thread_turns::round;

  [[gnu::cold]] void look_closer() {
    next_check_ = turns_.time() + between_checks;
    const auto has_waited = [&](std::uint64_t rounds) {
      return turns_.time() >= last_ + rounds * thread_turns::round + 2 * turns_.longest_sleep();
    };
    if (!has_waited(patience_rounds) && !all_have_had_turns(patience_rounds)) return;
    memory_.settle();
    if (memory_.changes() != seen_changes_) return;
    if (!all_poll() && !has_waited(long_patience_rounds)) return;
    turns_.fail(
        {.kind = resident_.has_started_all() ? fault_kind::livelock : fault_kind::not_resident});
  }

  /// Whether every thread that can run has had this number of turns since memory changed, and only
  /// polled in them: lanes of a warp may take turns at a loop that ends. The length of a round
  /// counts all live threads: if most wait at barriers, the others have many turns in it. Not if a
  /// thread sleeps, or has read the clock: then it may end its loop by itself.
  bool all_have_had_turns(std::uint64_t turns) const {
    if (turns_.clock_is_read()) return false;
    std::uint64_t running = 0;
    for (const thread& t : resident_.threads) {
      if (t.state == thread_state::asleep) return false;
      if (t.state != thread_state::runnable) continue;
      if (t.polls < turns) return false;
      ++running;
    }
    return turns_.time() - last_ >= turns_.time_of(turns * running);
  }

  /// Whether every thread that could change memory only polls, or is not scheduled (in lockstep).
  bool all_poll() const {
    return std::all_of(resident_.threads.begin(), resident_.threads.end(), [this](const thread& t) {
      return (t.state != thread_state::runnable && t.state != thread_state::asleep) ||
             t.polls >= fewest_polls ||
             t.last_operation + patience_rounds * thread_turns::round <= turns_.time();
    });
  }

  memory_mode& memory_;
  thread_turns& turns_;
  const resident_blocks& resident_;
  std::uint64_t last_ = 0;        ///< last change of memory or end of a thread
  std::uint64_t next_check_ = 0;  ///< whether all threads poll
  std::uint64_t seen_changes_ = 0;
};

}  // namespace simt
