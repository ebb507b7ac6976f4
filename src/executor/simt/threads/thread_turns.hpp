// SPDX-License-Identifier: Apache-2.0
// Which thread runs: fibers and the switch between them, the schedule, sleep, the clock, and the
// end of a launch that cannot continue.
#pragma once

#include <simt/device_api.hpp>
#include <simt/threads/fiber.hpp>
#include <simt/threads/resident_blocks.hpp>
#include <simt/threads/schedule.hpp>

#include <functional>
#include <memory>
#include <optional>
#include <queue>
#include <utility>
#include <vector>

namespace simt {

/// Recorded on a fiber, whose stack is too small for text. Made into a fault on the host's.
struct failure {
  fault_kind kind;
  const thread* subject = nullptr;
  const void* address = nullptr;
  /// Bytes of the access; for a misaligned one the required alignment; for a barrier its threads.
  std::size_t bytes = 0;
  std::uint32_t mask = 0;
  std::uint32_t lane = 0;      ///< or the number of a barrier
  const void* site = nullptr;  ///< of an access
};

class thread_turns {
 public:
  static constexpr unsigned time_bits = 16;
  /// In nominal time, as all of this class: about one round trip to the L2.
  static constexpr std::uint64_t round = std::uint64_t{512} << time_bits;

  /// \param checker_stack_bytes at the low end of each stack, which kernels must not use.
  thread_turns(const settings& how, resident_blocks& resident, std::size_t checker_stack_bytes,
               stack_pool& stacks);

  // On the host's stack
  /// The thread begins with this function, and can run from now on.
  void begin(thread& t, void (*main)(fiber_transfer));
  /// Threads run until one returns to the host.
  void run() { switch_to(*next_thread(nullptr)); }
  void run(thread& next) { switch_to(next); }
  const std::optional<failure>& failed() const { return failure_; }
  void add_live(std::uint32_t threads) { set_live(live_ + threads); }
  void explain(const failure& what, fault& to) const;
  /// Where a thread of a launch that has ended stands.
  code_place place_of(const thread& t) const;

  // On a fiber
  void arrive_from(const fiber_transfer& arrival, void* frames = nullptr);
  void return_to_host() { switch_to(host_); }
  [[noreturn]] void fail(const failure& what);
  void begin_operation(op_kind kind, scope reach, space where);
  /// The running thread has made its operation, and others run.
  void pass();
  bool keeps_turn(const operation& op);
  void wait_as(thread_state state);
  void sleep(std::uint64_t nominal_ns);
  /// Wakes in another way, or ends_wait() is called then.
  void wait_at_most(thread_state state, std::uint64_t rounds);
  void make_runnable(thread& t);
  /// Called at a basic block that needs a closer look: see basic_block_watch.
  void enter_basic_block(std::uintptr_t program_counter, std::uintptr_t stack_pointer);
  /// The running thread is not scheduled any more; others run after leave().
  void finish_current();
  [[noreturn]] void leave();

  std::uint32_t live() const { return live_; }
  std::uint64_t time() const { return time_; }
  std::uint64_t time_of(std::uint64_t operations_of_each) const {
    return operations_of_each * time_step_;
  }
  std::uint64_t longest_sleep() const { return longest_sleep_; }
  std::uint64_t read_clock_ns() {
    clock_is_read_ = true;
    return how_.clock_starts_ns + (time_ >> time_bits);
  }
  bool clock_is_read() const { return clock_is_read_; }

  counters counts;
  bool inside = false;  ///< an operation is under way: no switch at basic blocks
  std::function<void(const thread&)> ends_wait;

 private:
  struct sleeper {
    std::uint64_t wake;
    std::uint32_t number;
    bool operator>(const sleeper& other) const {
      return wake != other.wake ? wake > other.wake : number > other.number;
    }
  };

  void set_live(std::uint32_t threads);
  thread* next_thread(const thread* after);
  void switch_to(thread& next);
  void sleep_until(std::uint64_t wake);
  void wake_sleepers();
  stack_range stack_of(const thread& t) const;

  const settings& how_;
  resident_blocks& resident_;
  stack_pool& stacks_;
  const std::size_t checker_stack_bytes_;
  std::unique_ptr<schedule> schedule_;
  const bool per_basic_block_;    ///< from the schedule
  const bool keeps_turns_;        ///< see keeps_turn()
  std::uint32_t turns_kept_ = 0;  ///< by the running thread, since it was switched to
  thread host_;                   ///< the OS thread's own stack, as a switch target
  stack_range host_stack_;
  std::uint32_t live_ = 0;
  std::uint64_t time_ = 0;
  std::uint64_t time_step_ = 0;
  const std::uint64_t time_limit_;
  std::uint64_t longest_sleep_ = 0;
  bool clock_is_read_ = false;  ///< by a thread of this launch
  std::priority_queue<sleeper, std::vector<sleeper>, std::greater<>> sleepers_;
  std::optional<failure> failure_;
};

/// While it lives, the running thread performs a device operation.
class inside_operation {
 public:
  explicit inside_operation(thread_turns& turns) : turns_(turns) { turns.inside = true; }
  inside_operation(thread_turns& turns, op_kind kind, scope reach) : inside_operation(turns) {
    turns.begin_operation(kind, reach, space::none);
  }
  ~inside_operation() { turns_.inside = false; }
  inside_operation(const inside_operation&) = delete;
  inside_operation& operator=(const inside_operation&) = delete;

 private:
  thread_turns& turns_;
};

inline void thread_turns::begin_operation(op_kind kind, scope reach, space where) {
  constexpr std::uint32_t max_idle_operations = 64;  // between two polls of a waiting loop
  thread& self = *current;
  watched.left = how_.longest_raw_loop;
  if (reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0)) < self.stack_end)
    fail({.kind = fault_kind::stack_overflow, .subject = &self});
  counts.add(kind, reach, where);
  time_ += time_step_;
  if (time_ > time_limit_) fail({.kind = fault_kind::too_long});
  self.last_operation = time_;
  // A thread that does much besides memory accesses is not polling.
  if (where == space::none && ++self.idle_operations > max_idle_operations) self.polls = 0;
}

inline void thread_turns::pass() {
  if (per_basic_block_) return;
  thread* next = next_thread(current);
  if (next != current) switch_to(*next);
}

/// Whether the running thread goes on after this operation without a turn of the others. Where
/// races are checked, a plain access either has an order with every other access to its bytes, or
/// is reported as a race. So it makes no difference whether others run before the next one, and a
/// switch costs more than the access. A loop of plain accesses lets others run now and then.
inline bool thread_turns::keeps_turn(const operation& op) {
  constexpr std::uint32_t most_turns_kept = 64;
  return (keeps_turns_ || !current->block->is_checked) && op.kind <= op_kind::plain_store &&
         ++turns_kept_ < most_turns_kept;
}

}  // namespace simt
