#include <simt/machine.hpp>

#include <algorithm>
#include <cstring>
#include <stdexcept>
#include <utility>

namespace simt {

namespace {

constexpr std::size_t stack_margin = 1024;  // what the executor itself may need below a kernel
constexpr std::uint32_t most_idle_operations = 64;  // between two polls of a loop that waits
constexpr std::uint32_t fewest_polls = 8;           // that make a thread one that waits

std::uint32_t volume(const coordinates& c) {
  return c.x * c.y * c.z;
}

coordinates unravel(std::uint32_t linear, const coordinates& shape) {
  return {linear % shape.x, linear / shape.x % shape.y, linear / (shape.x * shape.y)};
}

thread_local launch_result latest;

}  // namespace

poll_window::sight poll_window::look(const void* where, const word& found) {
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

std::uint32_t max_resident_blocks(std::uint32_t threads_per_block, std::size_t shared_bytes) {
  const gpu_model& gpu = current_settings().gpu;
  return static_cast<std::uint32_t>(
      gpu.sms * gpu.blocks_per_sm(static_cast<int>(threads_per_block), shared_bytes));
}

settings& current_settings() {
  thread_local settings mine;
  return mine;
}

const launch_result& last_launch() {
  return latest;
}

launch_result run(const grid_shape& grid, void (*entry)(void*), void* context) {
  if (active_machine != nullptr) throw std::logic_error("a kernel cannot launch a kernel");
  thread_local stack_pool stacks;
  const auto m = std::make_unique<machine>(current_settings(), grid, stacks);
  return latest = m->run(entry, context);
}

machine::machine(const settings& s, const grid_shape& grid, stack_pool& stacks)
    : settings_(s),
      grid_(grid),
      stacks_(stacks),
      grid_blocks_(volume(grid.blocks)),
      threads_per_block_(volume(grid.threads)),
      slots_per_block_((threads_per_block_ + warp_size - 1) / warp_size * warp_size),
      random_(s.seed) {
  const std::uint32_t fitting = max_resident_blocks(threads_per_block_, grid.shared_bytes);
  if (fitting == 0 || grid_blocks_ == 0) {
    throw std::invalid_argument("a kernel of this shape does not fit on one SM");
  }
  const std::uint32_t resident = std::min(grid_blocks_, fitting);
  blocks_.resize(resident);
  threads_.resize(std::size_t{resident} * slots_per_block_);
  warps_.resize(threads_.size() / warp_size);
  stacks_.reserve(threads_.size(), settings_.stack_bytes);
  schedule_ = make_schedule(settings_, threads_);
  memory_ = make_memory(settings_, threads_.size(), blocks_.size(), blocks_.data());

  shared_stride_ = (grid.shared_bytes + 255) / 256 * 256;
  shared_memory_ =
      static_cast<std::byte*>(::operator new (shared_stride_* resident + 1, std::align_val_t{256}));

  // Neither hardware nor this machine promises a block its SM, so nobody may derive it from
  // blockIdx.
  std::vector<int> sm_order(static_cast<std::size_t>(settings_.gpu.sms));
  for (std::size_t i = 0; i < sm_order.size(); ++i) {
    sm_order[i] = settings_.gpu.sms - 1 - static_cast<int>(i);
  }
  if (settings_.schedule == schedule_kind::random) {
    for (std::size_t i = sm_order.size(); i > 1; --i) {
      std::swap(sm_order[i - 1], sm_order[random_.below(static_cast<std::uint32_t>(i))]);
    }
  }
  for (std::uint32_t slot = 0; slot < resident; ++slot) {
    blocks_[slot].sm = sm_order[slot % sm_order.size()];
    blocks_[slot].shared = shared_memory_ + slot * shared_stride_;
    blocks_[slot].first_thread = slot * slots_per_block_;
  }
}

machine::~machine() {
  ::operator delete (shared_memory_, std::align_val_t{256});
}

launch_result machine::run(void (*entry)(void*), void* context) {
  entry_ = entry;
  entry_context_ = context;
  struct activation {
    explicit activation(machine* m) { active_machine = m; }
    ~activation() {
      active_machine = nullptr;
      current = nullptr;
    }
  } active(this);

  for (block_state& slot : blocks_) start_block(slot);
  while (live_threads_ > 0) {
    switch_to(*next_thread(nullptr));
    if (escaped_) std::rethrow_exception(escaped_);
    if (failure_) throw stuck(failure_->kind, diagnose());
    if (retired_ != nullptr && next_block_ < grid_blocks_) start_block(*retired_);
    retired_ = nullptr;
  }
  memory_->settle();
  return {counts_, nominal_time_ns()};
}

void machine::start_block(block_state& slot) {
  slot.number = next_block_++;
  slot.index = unravel(slot.number, grid_.blocks);
  slot.threads = slot.live = threads_per_block_;
  slot.at_barrier = 0;
  // Shared memory starts as garbage, as on a GPU.
  std::memset(slot.shared, static_cast<int>(0xa0 + random_.below(16)), shared_stride_);
  live_threads_ += threads_per_block_;
  time_step_ = (round_ns << time_bits) / live_threads_;
  for (std::uint32_t i = 0; i < slots_per_block_; ++i) {
    thread& t = threads_[slot.first_thread + i];
    t = thread{};
    t.number = slot.first_thread + i;
    t.lane = t.number % warp_size;
    t.warp = &warps_[t.number / warp_size];
    if (t.lane == 0) *t.warp = warp_state{};
    t.block = &slot;
    if (i < threads_per_block_) start_thread(t, slot, i);
  }
}

void machine::start_thread(thread& t, block_state&, std::uint32_t linear) {
  t.index = unravel(linear, grid_.threads);
  t.stack_low = reinterpret_cast<std::uintptr_t>(stacks_.low(t.number));
  t.context = boost::context::detail::make_fcontext(stacks_.high(t.number), settings_.stack_bytes,
                                                    fiber_main);
  t.warp->live |= 1u << t.lane;
  t.warp->existing |= 1u << t.lane;
  t.state = thread_state::runnable;
  schedule_->add(t);
}

void machine::fiber_main(fiber_transfer arrival) {
  static_cast<thread*>(arrival.data)->context = arrival.fctx;
  machine& self = *active_machine;
  self.inside_ = false;
  try {
    self.entry_(self.entry_context_);
  } catch (...) {
    self.escaped_ = std::current_exception();
  }
  self.inside_ = true;
  self.finish_current();
}

void machine::finish_current() {
  thread& self = *current;
  if (escaped_) return_to_host();
  check_leaving(self);
  self.state = thread_state::finished;
  schedule_->remove(self);
  self.warp->live &= ~(1u << self.lane);
  if (self.warp->waiting != 0) {  // the others may now be all there are
    for (std::uint32_t lane = 0; lane < warp_size; ++lane) {
      const void* site = self.warp->site[lane];
      if ((self.warp->waiting & 1u << lane) != 0 &&
          lanes_at_convergence(*self.warp, site) == self.warp->live) {
        finish_convergence(*self.warp, site);
      }
    }
  }
  --live_threads_;
  if (live_threads_ > 0) time_step_ = (round_ns << time_bits) / live_threads_;
  last_progress_ = time_;
  const bool block_done = --self.block->live == 0;
  if (block_done) ++finished_blocks_;
  if (live_threads_ == 0 || (block_done && next_block_ < grid_blocks_)) {
    retired_ = self.block;
    return_to_host();
  }
  switch_to(*next_thread(&self));
  std::abort();  // nobody switches to a finished thread
}

void machine::switch_to(thread& next) {
  thread* self = current == nullptr ? &host_ : current;
  current = &next == &host_ ? nullptr : &next;
  const fiber_transfer arrival = boost::context::detail::jump_fcontext(next.context, self);
  static_cast<thread*>(arrival.data)->context = arrival.fctx;
}

void machine::return_to_host() {
  switch_to(host_);
}

thread* machine::next_thread(const thread* after) {
  for (;;) {
    if (thread* next = schedule_->next(after)) return next;
    if (sleepers_.empty()) {
      failure_ = explain_deadlock();
      return &host_;
    }
    time_ = std::max(time_, sleepers_.top().wake);
    wake_sleepers();
  }
}

void machine::reschedule() {
  if (!sleepers_.empty() && sleepers_.top().wake <= time_) wake_sleepers();
  if (schedule_->per_basic_block()) return;
  thread* next = next_thread(current);
  if (next != current) switch_to(*next);
}

void machine::wait_as(thread_state state) {
  current->state = state;
  schedule_->remove(*current);
  thread* next = next_thread(current);
  if (next != current) switch_to(*next);  // it may be the first to wake
}

void machine::make_runnable(thread& t) {
  t.state = thread_state::runnable;
  schedule_->add(t);
}

void machine::sleep_until(std::uint64_t wake) {
  current->wake = wake;
  sleepers_.push({wake, current->number});
}

void machine::wake_sleepers() {
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

space machine::classify(const void* address, std::size_t bytes) const {
  if (global_memory().contains(address)) return space::global;
  const auto at = static_cast<const std::byte*>(address);
  const std::byte* own = current->block->shared;
  if (at >= own && at + bytes <= own + grid_.shared_bytes) return space::shared;
  return space::none;
}

void machine::note_access(thread& self, const operation& op, const effect& done, space where) {
  const bool is_store = op.kind == op_kind::plain_store || op.kind == op_kind::store;
  if (is_store || done.changed) {
    const auto place = global_memory().offset(op.address) / 4 % last_writes_.size();
    last_writes_[place] = {op.address, self.block->number, self.number - self.block->first_thread};
  }
  if (reads(op.kind) && !done.changed &&
      self.recent.look(op.address, done.value) == poll_window::sight::same) {
    counts_.add_poll(where);
    ++self.polls;
    self.idle_operations = 0;
  } else if (!is_store) {
    self.polls = 0;
  }
}

void machine::begin_operation(op_kind kind, scope reach, space where) {
  thread& self = *current;
  self.basic_blocks = 0;
  if (reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0)) <
      self.stack_low + stack_margin) {
    fail({.kind = trouble::stack_overflow, .subject = &self});
  }
  counts_.add(kind, reach, where);
  time_ += time_step_;
  self.last_operation = time_;
  // A thread that is busy with anything but memory is not one that polls.
  if (where == space::none && ++self.idle_operations > most_idle_operations) self.polls = 0;
}

word machine::perform(const operation& op) {
  inside_ = true;
  thread& self = *current;
  space where = space::none;
  if (has_address(op.kind)) {
    where = classify(op.address, op.bytes);
    if (where == space::none) {
      fail({.kind = trouble::bad_address, .subject = &self, .address = op.address});
    }
  }
  begin_operation(op.kind, op.reach, where);
  word value;
  if (where != space::none) {
    const effect done = memory_->access(self, op, where);
    value = done.value;
    note_access(self, op, done, where);
  } else if (op.kind == op_kind::fence) {
    memory_->fence(self, op.order, op.reach);
  }
  memory_->step();
  if (op.kind == op_kind::sleep) {
    const std::uint64_t length = op.operand.low << time_bits;
    longest_sleep_ = std::max(longest_sleep_, length);
    sleep_until(time_ + length);
    wait_as(thread_state::asleep);
  } else {
    check_progress();
    reschedule();
  }
  inside_ = false;
  return value;
}

/// Ends a launch that changes nothing any more. Threads that only poll are given up soon; others
/// may be busy reading or computing, and are given much longer.
void machine::check_progress() {
  if (memory_->changes() != seen_changes_) {
    seen_changes_ = memory_->changes();
    last_progress_ = time_;
    return;
  }
  constexpr std::uint64_t round = round_ns << time_bits;
  if (time_ < std::max(last_progress_ + patience_rounds * round + 2 * longest_sleep_, next_look_)) {
    return;
  }
  memory_->settle();
  if (memory_->changes() != seen_changes_) return;
  if (!all_poll() && time_ < last_progress_ + long_patience_rounds * round + 2 * longest_sleep_) {
    next_look_ = time_ + 64 * round;
    return;
  }
  fail({.kind = next_block_ < grid_blocks_ ? trouble::not_resident : trouble::livelock});
}

/// Whether every thread that could change memory only polls, or was never given a turn (in
/// lockstep).
bool machine::all_poll() const {
  return std::all_of(threads_.begin(), threads_.end(), [this](const thread& t) {
    return (t.state != thread_state::runnable && t.state != thread_state::asleep) ||
           t.polls >= fewest_polls || t.last_operation <= last_progress_;
  });
}

void machine::enter_basic_block(std::uintptr_t program_counter, std::uintptr_t stack_pointer) {
  thread& self = *current;
  if (stack_pointer < self.stack_low + stack_margin) {
    fail({.kind = trouble::stack_overflow, .subject = &self});
  }
  if (++self.basic_blocks > longest_raw_loop) {
    fail({.kind = trouble::raw_polling, .subject = &self});
  }
  if (inside_ || !schedule_->per_basic_block()) return;
  self.program_counter = program_counter;
  self.stack_pointer = stack_pointer;
  inside_ = true;
  thread* next = next_thread(&self);
  if (next != &self) switch_to(*next);
  inside_ = false;
}

void machine::fail(const failure& what) {
  failure_ = what;
  return_to_host();
  std::abort();  // nobody resumes a failed launch
}

// The kernel's side
// ---------------------------------------------------------------------------------

word perform(const operation& op) {
  return active_machine->perform(op);
}

word warp_collective(collective kind, std::uint32_t mask, const word& value,
                     std::uint32_t argument) {
  return active_machine->warp_collective(kind, mask, value, argument);
}

// Out of line, so that the return address tells one place in the kernel from another.
__attribute__((noinline)) std::uint32_t converged_lanes() {
  return active_machine->converged_lanes(__builtin_return_address(0));
}
void block_barrier() {
  active_machine->block_barrier();
}
coordinates grid_blocks() {
  return active_machine->grid().blocks;
}
coordinates block_threads() {
  return active_machine->grid().threads;
}
std::byte* shared_storage() {
  return current->block->shared;
}
std::uint64_t nominal_time_ns() {
  return active_machine->nominal_time_ns();
}

}  // namespace simt
