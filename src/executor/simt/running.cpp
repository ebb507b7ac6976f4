// SPDX-License-Identifier: Apache-2.0
// What happens at an operation: it is counted and performed, and other threads run.
#include <simt/executor.hpp>

#include <algorithm>
#include <cstdlib>
#include <utility>

namespace simt {

namespace {

constexpr std::uint32_t max_idle_operations = 64;  // between two polls of a waiting loop
constexpr std::uint32_t fewest_polls = 8;          // that make a thread a waiter
constexpr std::uint32_t most_turns_kept = 64;

/// A compare-exchange that fails writes nothing.
bool has_written(const operation& op, const effect& done) {
  return op.kind == op_kind::compare_exchange
             ? done.value == op.expected
             : op.kind != op_kind::plain_load && op.kind != op_kind::load;
}

}  // namespace

poll_window::sight poll_window::poll(const void* where, const word& found) {
  const std::uint64_t now = found.low ^ (found.high * 0x9e3779b97f4a7c15u);
  for (std::size_t i = 0; i < size; ++i) {
    if (address[i] != where) continue;
    newest = static_cast<std::uint8_t>(i);
    return std::exchange(value[i], now) == now ? sight::same : sight::changed;
  }
  newest = oldest;
  address[oldest] = where;
  value[oldest] = now;
  oldest = static_cast<std::uint8_t>((oldest + 1) % size);
  return sight::fresh;
}

thread* executor::next_thread(const thread* after) {
  if (!sleepers_.empty() && sleepers_.top().wake <= time_) wake_sleepers();
  for (;;) {
    if (thread* next = schedule_->next(after)) return next;
    if (sleepers_.empty() && schedule_->resume_all()) continue;
    if (sleepers_.empty()) {
      failure_ = explain_deadlock();
      return &host_;
    }
    time_ = std::max(time_, sleepers_.top().wake);
    wake_sleepers();
  }
}

void executor::reschedule() {
  if (per_basic_block_) return;
  thread* next = next_thread(current);
  if (next != current) switch_to(*next);
}

/// Whether the running thread goes on after this operation without a turn of the others. Where
/// races are checked, a plain access either has an order with every other access to its bytes, or
/// is reported as a race. So it makes no difference whether others run before the next one, and a
/// switch costs more than the access. A loop of plain accesses lets others run now and then.
bool executor::keeps_turn(const operation& op) {
  return keeps_turns_ && op.kind <= op_kind::plain_store && ++turns_kept_ < most_turns_kept;
}

void executor::wait_as(thread_state state) {
  current->state = state;
  schedule_->remove(*current);
  thread* next = next_thread(current);
  if (next != current) switch_to(*next);  // it may be the first to wake
}

void executor::make_runnable(thread& t) {
  t.state = thread_state::runnable;
  schedule_->add(t);
}

void executor::sleep_until(std::uint64_t wake) {
  current->wake = wake;
  sleepers_.push({wake, current->number});
}

void executor::wake_sleepers() {
  while (!sleepers_.empty() && sleepers_.top().wake <= time_) {
    thread& t = threads_[sleepers_.top().number];
    const bool valid = t.wake == sleepers_.top().wake;  // not released in another way meanwhile
    sleepers_.pop();
    if (!valid) continue;
    if (t.state == thread_state::asleep) make_runnable(t);
    if (t.state == thread_state::at_collective) {
      finish_convergence(*t.warp, t.warp->site[t.lane]);
    }
  }
}

/// The space of the operation's address; ends the launch if it has none.
space executor::checked_space(const operation& op, const void* site) {
  const auto at = static_cast<const std::byte*>(op.address);
  const space where = global_.holds(at, op.bytes) ? space::global : space::shared;
  if (where == space::shared) {
    const block_state* owner = owner_in_cluster(*current, at, op.bytes);
    const bool is_late = owner != nullptr && owner->live == 0;
    if (is_late && current->started_by != nullptr) {
      async_of(*current).late_at = at;
    } else if (owner == nullptr || is_late) {
      fail({.kind = fault_kind::bad_address,
            .subject = current,
            .address = at,
            .bytes = op.bytes,
            .site = site});
    }
  }
  const std::size_t alignment = op.alignment != 0 ? op.alignment : op.bytes;
  if ((reinterpret_cast<std::uintptr_t>(at) & (alignment - 1)) != 0) {
    fail({.kind = fault_kind::misaligned,
          .subject = current,
          .address = at,
          .bytes = alignment,
          .site = site});
  }
  return where;
}

void executor::note_access(thread& self, const operation& op, const effect& done, space where,
                           const void* site) {
  const bool is_store = op.kind == op_kind::plain_store || op.kind == op_kind::store;
  if (is_store || done.changed) {
    const auto place = global_.offset(op.address) / 4 % last_writes_.size();
    const thread& writer = self.started_by != nullptr ? *self.started_by : self;
    last_writes_[place] = {op.address, writer.block->number,
                           writer.number - writer.block->first_thread};
  }
  if (reads(op.kind) && !done.changed) self.site = site;
  if (reads(op.kind) && !done.changed &&
      self.recent.poll(op.address, done.value) == poll_window::sight::same) {
    counts_.add_poll(where);
    ++self.polls;
    self.idle_operations = 0;
  } else if (!is_store) {
    self.polls = 0;
  }
}

void executor::begin_operation(op_kind kind, scope reach, space where) {
  thread& self = *current;
  watched.left = settings_.longest_raw_loop;
  if (reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0)) < self.stack_end) {
    fail({.kind = fault_kind::stack_overflow, .subject = &self});
  }
  counts_.add(kind, reach, where);
  time_ += time_step_;
  if (time_ > time_limit_) fail({.kind = fault_kind::too_long});
  self.last_operation = time_;
  // A thread that does much besides memory accesses is not polling.
  if (where == space::none && ++self.idle_operations > max_idle_operations) self.polls = 0;
}

word executor::access(const operation& op, space where, const void* site) {
  thread& self = *current;
  if (!copies_.empty()) check_for_copy(op, site);
  if (races_) races_->fetch(op.address);
  // An async thread has no store buffer of its own.
  const thread& writer = self.started_by != nullptr ? *self.started_by : self;
  const effect done = memory_->access(writer, op, where, site);
  if (races_ && !races_->access(self, op, has_written(op, done), site))
    fail({.kind = fault_kind::race, .subject = &self});
  if (settings_.observer != nullptr && where == space::global)
    settings_.observer->saw(op, has_written(op, done), site);
  note_access(self, op, done, where, site);
  return done.value;
}

word executor::perform(const operation& op, const void* site) {
  inside_ = true;
  thread& self = *current;
  const space where = has_address(op.kind) ? checked_space(op, site) : space::none;
  begin_operation(op.kind, op.reach, where);
  word value;
  if (where != space::none) {
    value = access(op, where, site);
  } else if (op.kind == op_kind::fence) {
    memory_->fence(self, op.order, op.reach);
    if (races_) races_->fence(self, op.order, op.reach);
  }
  memory_->step();
  if (op.kind == op_kind::sleep) {
    const std::uint64_t length = op.operand.low << time_bits;
    longest_sleep_ = std::max(longest_sleep_, length);
    sleep_until(time_ + length);
    wait_as(thread_state::asleep);
  } else {
    check_progress();
    if (!keeps_turn(op)) reschedule();
  }
  inside_ = false;
  return value;
}

/// Ends a launch in which nothing changes any more. Threads that only poll are given up soon;
/// others may be busy reading or computing, and get much longer.
void executor::check_progress() {
  if (memory_->changes() != seen_changes_) {
    seen_changes_ = memory_->changes();
    last_progress_ = time_;
    return;
  }
  constexpr std::uint64_t round = round_ns << time_bits;
  constexpr std::uint64_t between_checks = 64 * round;
  if (time_ < std::max(last_progress_ + between_checks + 2 * longest_sleep_, next_check_)) return;
  next_check_ = time_ + between_checks;
  const auto has_waited = [&](std::uint64_t rounds) {
    return time_ >= last_progress_ + rounds * round + 2 * longest_sleep_;
  };
  if (!has_waited(patience_rounds) && !all_have_had_turns(patience_rounds)) return;
  memory_->settle();
  if (memory_->changes() != seen_changes_) return;
  if (!all_poll() && !has_waited(long_patience_rounds)) return;
  fail({.kind = next_block_ < layout_.blocks() ? fault_kind::not_resident : fault_kind::livelock});
}

/// Whether every thread that can run has had this number of turns since memory changed, and only
/// polled in them: lanes of a warp may take turns at a loop that ends. The length of a round counts
/// all live threads: if most wait at barriers, the others have many turns in it. Not if a thread
/// sleeps, or has read the clock: then it may end its loop by itself.
bool executor::all_have_had_turns(std::uint64_t turns) const {
  if (clock_is_read_) return false;
  std::uint64_t running = 0;
  for (const thread& t : threads_) {
    if (t.state == thread_state::asleep) return false;
    if (t.state != thread_state::runnable) continue;
    if (t.polls < turns) return false;
    ++running;
  }
  return time_ - last_progress_ >= turns * running * time_step_;
}

/// Whether every thread that could change memory only polls, or is not scheduled (in lockstep).
bool executor::all_poll() const {
  return std::all_of(threads_.begin(), threads_.end(), [this](const thread& t) {
    return (t.state != thread_state::runnable && t.state != thread_state::asleep) ||
           t.polls >= fewest_polls ||
           t.last_operation + (patience_rounds * round_ns << time_bits) <= time_;
  });
}

void executor::enter_basic_block(std::uintptr_t program_counter, std::uintptr_t stack_pointer) {
  thread& self = *current;
  if (stack_pointer < self.stack_end) {
    fail({.kind = fault_kind::stack_overflow, .subject = &self});
  }
  if (watched.left < 0) {
    self.site = reinterpret_cast<const void*>(program_counter);
    fail({.kind = fault_kind::raw_polling, .subject = &self});
  }
  if (inside_) return;
  self.program_counter = program_counter;
  self.stack_pointer = stack_pointer;
  inside_ = true;
  thread* next = next_thread(&self);
  if (next != &self) switch_to(*next);
  inside_ = false;
}

/// Has the race described on the OS thread's stack, which is large.
void executor::show_race() {
  racing_ = current;
  return_to_host();
}

void executor::fail(const failure& what) {
  failure_ = what;
  return_to_host();
  std::abort();  // no thread resumes a failed launch
}

}  // namespace simt
