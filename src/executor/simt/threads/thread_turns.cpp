// SPDX-License-Identifier: Apache-2.0
#include <simt/threads/thread_turns.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include <unwind.h>

namespace simt {

namespace {

constexpr std::size_t stack_margin =
    1024 * stack_factor;  // for the executor itself, below a kernel

}  // namespace

thread_turns::thread_turns(const settings& how, resident_blocks& resident,
                           std::size_t checker_stack_bytes, stack_pool& stacks)
    : how_(how),
      resident_(resident),
      stacks_(stacks),
      checker_stack_bytes_(checker_stack_bytes),
      schedule_(make_schedule(how, resident.threads)),
      per_basic_block_(schedule_->per_basic_block()),
      keeps_turns_(how.check == checking::races && how.schedule == schedule_kind::round_robin &&
                   how.preempted.after_turn == 0),
      time_limit_(std::min(how.longest_launch_ns, ~std::uint64_t{0} >> time_bits) << time_bits) {
  stacks_.reserve(resident.threads.size(), checker_stack_bytes + how.stack_bytes);
}

void thread_turns::begin(thread& t, void (*main)(fiber_transfer)) {
  t.stack_end =
      reinterpret_cast<std::uintptr_t>(stacks_.low(t.number)) + checker_stack_bytes_ + stack_margin;
  t.blocks_left = how_.longest_raw_loop;
  t.stack_watch = per_basic_block_ ? ~std::uintptr_t{0} : t.stack_end;
  const stack_range stack = stack_of(t);
  begin_on(stack);
  t.context = boost::context::detail::make_fcontext(stacks_.high(t.number), stack.bytes, main);
  make_runnable(t);
}

void thread_turns::finish_current() {
  current->state = thread_state::finished;
  schedule_->remove(*current);
  set_live(live_ - 1);
}

void thread_turns::leave() {
  switch_to(*next_thread(current));
  std::abort();  // no thread switches to a finished one
}

/// A round is one operation by each live thread.
void thread_turns::set_live(std::uint32_t threads) {
  live_ = threads;
  if (threads > 0) time_step_ = round / threads;
}

void thread_turns::switch_to(thread& next) {
  thread* self = current == nullptr ? &host_ : current;
  current = &next == &host_ ? nullptr : &next;
  turns_kept_ = 0;
  self->blocks_left = watched.left;
  watched.left = next.blocks_left;
  watched.lowest_stack = next.stack_watch;
  void* frames = nullptr;
  const bool comes_back = self->state != thread_state::finished;
  announce_switch(comes_back ? &frames : nullptr, stack_of(next));
  const fiber_transfer arrival = boost::context::detail::jump_fcontext(next.context, self);
  arrive_from(arrival, frames);
}

/// Keeps what is needed to go back to where the switch came from.
void thread_turns::arrive_from(const fiber_transfer& arrival, void* frames) {
  thread& left = *static_cast<thread*>(arrival.data);
  left.context = arrival.fctx;
  const stack_range its_stack = finish_switch(frames);
  if (&left == &host_) host_stack_ = its_stack;
}

stack_range thread_turns::stack_of(const thread& t) const {
  if (&t == &host_) return host_stack_;
  return {stacks_.low(t.number), checker_stack_bytes_ + how_.stack_bytes};
}

thread* thread_turns::next_thread(const thread* after) {
  if (!sleepers_.empty() && sleepers_.top().wake <= time_) wake_sleepers();
  for (;;) {
    if (thread* next = schedule_->next(after)) return next;
    if (sleepers_.empty() && schedule_->resume_all()) continue;
    if (sleepers_.empty()) {
      failure_ = {.kind = fault_kind::deadlock};
      return &host_;
    }
    time_ = std::max(time_, sleepers_.top().wake);
    wake_sleepers();
  }
}

void thread_turns::wait_as(thread_state state) {
  current->state = state;
  schedule_->remove(*current);
  thread* next = next_thread(current);
  if (next != current) switch_to(*next);  // it may be the first to wake
}

void thread_turns::make_runnable(thread& t) {
  t.state = thread_state::runnable;
  schedule_->add(t);
}

void thread_turns::sleep(std::uint64_t nominal_ns) {
  const std::uint64_t length = nominal_ns << time_bits;
  longest_sleep_ = std::max(longest_sleep_, length);
  sleep_until(time_ + length);
  wait_as(thread_state::asleep);
}

void thread_turns::wait_at_most(thread_state state, std::uint64_t rounds) {
  sleep_until(time_ + rounds * round + 1);
  wait_as(state);
}

void thread_turns::sleep_until(std::uint64_t wake) {
  current->wake = wake;
  sleepers_.push({wake, current->number});
}

void thread_turns::wake_sleepers() {
  while (!sleepers_.empty() && sleepers_.top().wake <= time_) {
    thread& t = resident_.threads[sleepers_.top().number];
    const bool valid = t.wake == sleepers_.top().wake;  // not released in another way meanwhile
    sleepers_.pop();
    if (!valid) continue;
    if (t.state == thread_state::asleep) make_runnable(t);
    if (t.state == thread_state::at_collective) ends_wait(t);
  }
}

void thread_turns::enter_basic_block(std::uintptr_t program_counter, std::uintptr_t stack_pointer) {
  thread& self = *current;
  if (stack_pointer < self.stack_end) fail({.kind = fault_kind::stack_overflow, .subject = &self});
  if (watched.left < 0) {
    self.site = reinterpret_cast<const void*>(program_counter);
    fail({.kind = fault_kind::raw_polling, .subject = &self});
  }
  if (inside) return;
  self.program_counter = program_counter;
  self.stack_pointer = stack_pointer;
  inside = true;
  thread* next = next_thread(&self);
  if (next != &self) switch_to(*next);
  inside = false;
}

void thread_turns::fail(const failure& what) {
  failure_ = what;
  return_to_host();
  std::abort();  // no thread resumes a failed launch
}

namespace {

/// On the fiber of a thread, on top of its last call: notes the callers, and returns to the host.
[[noreturn]] fiber_transfer testify(fiber_transfer host) {
  const auto note = [](_Unwind_Context* at, void* to) {
    auto& callers = *static_cast<std::vector<const void*>*>(to);
    if (callers.size() == callers.capacity()) return _URC_END_OF_STACK;
    callers.push_back(reinterpret_cast<const void*>(_Unwind_GetIP(at)));
    return _URC_NO_REASON;
  };
  _Unwind_Backtrace(note, host.data);
  boost::context::detail::jump_fcontext(host.fctx, nullptr);
  std::abort();  // the stack is as it was before, and nothing is left to return from
}

}  // namespace

code_place thread_turns::place_of(const thread& t) const {
  code_place place{.code = t.site};
#ifndef __SANITIZE_ADDRESS__  // which would have to know of the switch
  if (t.site == nullptr || t.state == thread_state::finished) return place;
  // Unwinding needs more stack than a thread may have left: it borrows what is below, where other
  // threads have theirs.
  constexpr std::size_t borrowed_bytes = 16 * 1024;
  constexpr std::size_t most_callers = 64;
  place.callers.reserve(most_callers);
  std::byte* const borrowed = static_cast<std::byte*>(t.context) - borrowed_bytes;
  const std::vector<std::byte> lent(borrowed, stacks_.high(t.number));
  boost::context::detail::ontop_fcontext(t.context, &place.callers, testify);
  std::copy(lent.begin(), lent.end(), borrowed);
  const auto site = std::find(place.callers.begin(), place.callers.end(), t.site);
  if (site != place.callers.end()) place.callers.erase(place.callers.begin(), site + 1);
#endif
  return place;
}

void thread_turns::explain(const failure& what, fault& to) const {
  to.threads.front().site = {};
  if (what.kind == fault_kind::stack_overflow) {
    to.reason = fmt::format("needs more than {} bytes of stack", how_.stack_bytes);
  } else {
    to.threads.push_back({"", place_of(*what.subject)});
    to.reason = fmt::format("went through {} basic blocks without any device operation",
                            how_.longest_raw_loop);
    to.missing = "a loop that waits must read through an atomic_ref";
  }
}

}  // namespace simt
