#include <simt/machine.hpp>

#include <algorithm>
#include <cstring>
#include <stdexcept>
#include <utility>

namespace simt {

namespace {

constexpr std::size_t stack_margin = 1024;  // what the executor itself may need below a kernel

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
    return std::exchange(value[i], now) == now ? sight::same : sight::changed;
  }
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
  machine m(current_settings(), grid, stacks);
  return latest = m.run(entry, context);
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
  finish_convergence(*self.warp);
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
      failure_ = failure{.kind = trouble::deadlock};
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
    if (t.state == thread_state::at_collective) finish_convergence(*t.warp);
  }
}

space machine::classify(const void* address, std::size_t bytes) const {
  if (global_memory().contains(address)) return space::global;
  const auto at = static_cast<const std::byte*>(address);
  const std::byte* own = current->block->shared;
  if (at >= own && at + bytes <= own + grid_.shared_bytes) return space::shared;
  return space::none;
}

void machine::note_read(thread& self, const operation& op, const word& found, space where) {
  if (self.recent.look(op.address, found) == poll_window::sight::same) {
    counts_.add_poll(where);
  } else {
    last_progress_ = time_;
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
    if (done.changed) {
      last_progress_ = time_;
      const auto entry = global_memory().offset(op.address) / 4 % last_writes_.size();
      last_writes_[entry] = {op.address, self.block->number, self.number % slots_per_block_};
    }
    if (reads(op.kind) && !done.changed) note_read(self, op, value, where);
  } else if (op.kind == op_kind::fence) {
    memory_->fence(self, op.order, op.reach);
  }
  if (memory_->step()) last_progress_ = time_;
  if (op.kind == op_kind::sleep) {
    const std::uint64_t length = op.operand.low << time_bits;
    longest_sleep_ = std::max(longest_sleep_, length);
    sleep_until(time_ + length);
    wait_as(thread_state::asleep);
  } else {
    fail_unless_pending_stores();
    reschedule();
  }
  inside_ = false;
  return value;
}

void machine::fail_unless_pending_stores() {
  const std::uint64_t patience = (patience_rounds * round_ns << time_bits) + 8 * longest_sleep_;
  if (time_ - last_progress_ <= patience) return;
  if (memory_->settle()) {
    last_progress_ = time_;
    return;
  }
  fail({.kind = next_block_ < grid_blocks_ ? trouble::not_resident : trouble::livelock});
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

std::uint32_t converged_lanes() {
  return active_machine->converged_lanes();
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
