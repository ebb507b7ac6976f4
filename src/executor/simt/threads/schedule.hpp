// SPDX-License-Identifier: Apache-2.0
// Chooses the next runnable thread. Only the schedule chooses among the legal executions; a timing
// model would be another schedule (the thread with the smallest virtual clock).
#pragma once

#include <simt/settings.hpp>
#include <simt/thread.hpp>

#include <memory>
#include <span>

namespace simt {

class schedule {
 public:
  virtual ~schedule() = default;

  /// The thread may run from now on, or no longer.
  virtual void add(thread& t) = 0;
  virtual void remove(thread& t) = 0;

  /// The thread to run after `current` (which need not be runnable), or null if none can run.
  virtual thread* next(const thread* current) = 0;

  /// Resumes all held-back threads, as no other thread can run, now or later. False if there are
  /// none.
  virtual bool resume_all() { return false; }

  /// True when threads change at basic blocks of the kernel, false when at its device operations.
  virtual bool per_basic_block() const { return false; }
};

/// `threads` are all slots, a warp being 32 consecutive ones; it outlives the schedule.
std::unique_ptr<schedule> make_schedule(const settings& s, std::span<thread> threads);

}  // namespace simt
