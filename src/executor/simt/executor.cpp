// SPDX-License-Identifier: Apache-2.0
#include <simt/executor.hpp>

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace simt {

namespace {

std::uint32_t volume(const coordinates& c) {
  return c.x * c.y * c.z;
}

coordinates unravel(std::uint32_t linear, const coordinates& shape) {
  return {linear % shape.x, linear / shape.x % shape.y, linear / (shape.x * shape.y)};
}

constexpr std::size_t stack_margin =
    1024 * stack_factor;  // for the executor itself, below a kernel

thread_local launch_result latest;

}  // namespace

std::uint32_t max_resident_blocks(std::uint32_t threads_per_block, std::size_t shared_bytes,
                                  std::uint32_t cluster_blocks) {
  const gpu_model& gpu = current_settings().gpu;
  if (cluster_blocks == 0 || cluster_blocks > static_cast<std::uint32_t>(gpu.max_cluster_blocks()))
    return 0;
  const auto blocks = static_cast<std::uint32_t>(
      gpu.sms * gpu.blocks_per_sm(static_cast<int>(threads_per_block), shared_bytes));
  return blocks - blocks % cluster_blocks;
}

settings& initial_settings() {
  static settings of_process;
  return of_process;
}

settings& current_settings() {
  thread_local settings mine = initial_settings();
  return mine;
}

const launch_result& last_launch() {
  return latest;
}

launch_result run(const grid_shape& grid, void (*entry)(void*), void* context) {
  const grid_on_gpu alone{.context = context};
  return run_together(grid, {&alone, 1}, entry);
}

launch_result run_together(const grid_shape& each, std::span<const grid_on_gpu> grids,
                           void (*entry)(void*)) {
  if (active_executor != nullptr) throw std::logic_error("a kernel cannot launch a kernel");
  thread_local stack_pool stacks;
  const auto m = std::make_unique<executor>(current_settings(), each, grids, stacks);
  return latest = m->run(entry);
}

executor::executor(const settings& s, const grid_shape& grid, std::span<const grid_on_gpu> grids,
                   stack_pool& stacks)
    : settings_(s),
      grid_(grid),
      stacks_(stacks),
      layout_(grids, volume(grid.blocks)),
      threads_per_block_(volume(grid.threads)),
      slots_per_block_((threads_per_block_ + warp_size - 1) / warp_size * warp_size),
      random_(s.seed),
      time_limit_(std::min(s.longest_launch_ns, ~std::uint64_t{0} >> time_bits) << time_bits) {
  const std::uint32_t fitting =
      max_resident_blocks(threads_per_block_, grid.shared_bytes, grid.cluster_blocks);
  if (fitting == 0 || layout_.blocks() == 0) {
    throw std::invalid_argument("a kernel of this shape does not fit on one SM");
  }
  if (grid.blocks.x % grid.cluster_blocks != 0) {
    throw std::invalid_argument("the grid does not divide into clusters");
  }
  if (grids.size() > 1 && layout_.most_blocks_on_a_gpu() > fitting) {
    throw std::invalid_argument("grids that run together do not fit on their GPUs");
  }
  const std::uint32_t resident =
      grids.size() > 1 ? layout_.blocks() : std::min(layout_.blocks(), fitting);
  blocks_.resize(resident);
  clusters_.resize(resident / grid.cluster_blocks);
  named_barriers_.resize(std::size_t{resident} * named_barriers);
  first_async_ = resident * slots_per_block_;
  threads_.resize(std::size_t{first_async_} + async_slots);
  for (std::uint32_t i = 0; i < async_slots; ++i) free_async_.push_back(i);
  warps_.resize(threads_.size() / warp_size);
  if (settings_.check == checking::races) checker_stack_bytes_ = race_detector::stack_bytes;
  stacks_.reserve(threads_.size(), checker_stack_bytes_ + settings_.stack_bytes);
  schedule_ = make_schedule(settings_, threads_);
  per_basic_block_ = schedule_->per_basic_block();
  memory_ = make_memory(settings_, first_async_, grid.cluster_blocks, layout_, blocks_);

  shared_stride_ =
      (grid.shared_bytes + sizeof(shared_line) - 1) / sizeof(shared_line) * sizeof(shared_line);
  shared_memory_.resize(shared_stride_ / sizeof(shared_line) * resident);
  if (settings_.check == checking::races) {
    if (settings_.memory != memory_kind::strong) {
      throw std::invalid_argument("race checks require strong memory");
    }
    races_ = std::make_unique<race_detector>(threads_,
                                             std::span(shared_memory(), shared_stride_ * resident),
                                             grid.cluster_blocks, layout_);
    keeps_turns_ =
        settings_.schedule == schedule_kind::round_robin && settings_.preempted.after_turn == 0;
    if (settings_.on_race)
      races_->go_on_after_races([this] { show_race(); }, settings_.unset_reads);
  }

  // Neither hardware nor this executor guarantees a block its SM, so no code may derive it from
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
  for (std::uint32_t i = 0; i < clusters_.size(); ++i) {
    clusters_[i].first_slot = i * grid.cluster_blocks;
  }
  // A cluster has as many SMs as blocks: it never has more blocks than there are SMs.
  for (std::uint32_t slot = 0; slot < resident; ++slot) {
    blocks_[slot].sm = sm_order[layout_.place_on_gpu(slot) % sm_order.size()];
    blocks_[slot].shared = shared_memory() + slot * shared_stride_;
    blocks_[slot].shared_end = blocks_[slot].shared + grid.shared_bytes;
    blocks_[slot].first_thread = slot * slots_per_block_;
  }
}

launch_result executor::run(void (*entry)(void*)) {
  entry_ = entry;
  watch_wild_accesses();
  struct activation {
    explicit activation(executor* m) { active_executor = m; }
    ~activation() {
      active_executor = nullptr;
      current = nullptr;
    }
  } active(this);

  for (cluster_state& slot : clusters_) start_cluster(slot);
  while (live_threads_ > 0) {
    switch_to(*next_thread(nullptr));
    while (racing_ != nullptr) {
      settings_.on_race(races_->found());
      switch_to(*std::exchange(racing_, nullptr));
    }
    if (escaped_) std::rethrow_exception(escaped_);
    if (failure_) throw execution_error(diagnose());
    if (retired_ != nullptr && next_block_ < layout_.blocks()) start_cluster(*retired_);
    retired_ = nullptr;
  }
  memory_->settle();
  return {counts_, time_ >> time_bits};
}

void executor::start_cluster(cluster_state& slot) {
  slot.number = next_block_ / grid_.cluster_blocks;
  slot.live = threads_per_block_ * grid_.cluster_blocks;
  slot.at_barrier = 0;
  slot.all_release = true;
  for (std::uint32_t i = 0; i < grid_.cluster_blocks; ++i)
    start_block(blocks_[slot.first_slot + i]);
}

void executor::start_block(block_state& slot) {
  slot.number = next_block_++;
  slot.cluster = slot.number / grid_.cluster_blocks;
  slot.rank = slot.number % grid_.cluster_blocks;
  slot.index = unravel(layout_.place_in_grid(slot.number), grid_.blocks);
  slot.threads = slot.live = threads_per_block_;
  slot.at_barrier = 0;
  slot.votes = 0;
  for (std::uint32_t i = 0; i < named_barriers; ++i) named_barrier_of(slot, i) = {};
  fill_with_garbage(slot.shared, shared_stride_, random_.next());
  set_live(live_threads_ + threads_per_block_);
  for (std::uint32_t i = 0; i < slots_per_block_; ++i) {
    thread& t = threads_[slot.first_thread + i];
    t = thread{};
    t.number = slot.first_thread + i;
    t.lane = t.number % warp_size;
    t.warp = &warps_[t.number / warp_size];
    if (t.lane == 0) *t.warp = warp_state{};
    t.block = &slot;
    if (i < threads_per_block_) start_thread(t, i);
  }
  if (races_) races_->forget(slot.shared, shared_stride_);
}

void executor::start_thread(thread& t, std::uint32_t linear) {
  t.index = unravel(linear, grid_.threads);
  t.warp->live |= 1u << t.lane;
  t.warp->existing |= 1u << t.lane;
  if (races_) races_->start(t);
  begin_fiber(t);
}

void executor::begin_fiber(thread& t) {
  t.stack_end =
      reinterpret_cast<std::uintptr_t>(stacks_.low(t.number)) + checker_stack_bytes_ + stack_margin;
  t.blocks_left = settings_.longest_raw_loop;
  t.stack_watch = per_basic_block_ ? ~std::uintptr_t{0} : t.stack_end;
  begin_on(stack_of(t));
  t.context = boost::context::detail::make_fcontext(
      stacks_.high(t.number), checker_stack_bytes_ + settings_.stack_bytes, fiber_main);
  make_runnable(t);
}

void executor::fiber_main(fiber_transfer arrival) {
  executor& self = *active_executor;
  self.arrive_from(arrival, nullptr);
  self.inside_ = false;
  try {
    if (current->started_by != nullptr)
      self.async_of(*current).body();
    else
      self.entry_(self.layout_.grid_of(current->block->number).context);
  } catch (...) {
    self.escaped_ = std::current_exception();
  }
  self.inside_ = true;
  self.finish_current();
}

void executor::finish_current() {
  thread& self = *current;
  if (escaped_) return_to_host();
  const bool is_async = self.started_by != nullptr;
  if (!is_async) check_leaving(self);
  self.state = thread_state::finished;
  schedule_->remove(self);
  set_live(live_threads_ - 1);
  last_progress_ = time_;
  cluster_state& cluster = cluster_of(*self.block);
  if (is_async)
    finish_async();
  else
    finish_thread(self);
  if (cluster.live == 0 && cluster.async_threads == 0) {
    forget_batches(cluster);
    if (live_threads_ == 0 || next_block_ < layout_.blocks()) {
      retired_ = &cluster;
      return_to_host();
    }
  }
  switch_to(*next_thread(&self));
  std::abort();  // no thread switches to a finished one
}

/// A round is one operation by each live thread.
void executor::set_live(std::uint32_t threads) {
  live_threads_ = threads;
  if (threads > 0) time_step_ = (round_ns << time_bits) / threads;
}

void executor::finish_thread(const thread& self) {
  self.warp->live &= ~(1u << self.lane);
  finish_complete_convergence(*self.warp);
  if (--self.block->live == 0) {
    memory_->retire(*self.block);
    arrival_counters_.erase(arrival_counters_.lower_bound(self.block->shared),
                            arrival_counters_.lower_bound(self.block->shared_end));
    if (!copies_.empty()) copies_.forget(self.block->first_thread, self.block->threads);
  }
  cluster_state& cluster = cluster_of(*self.block);
  if (--cluster.live > 0 && cluster.at_barrier == cluster.live) open_cluster_barrier(cluster);
}

void executor::switch_to(thread& next) {
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
void executor::arrive_from(const fiber_transfer& arrival, void* frames) {
  thread& left = *static_cast<thread*>(arrival.data);
  left.context = arrival.fctx;
  const stack_range its_stack = finish_switch(frames);
  if (&left == &host_) host_stack_ = its_stack;
}

stack_range executor::stack_of(const thread& t) const {
  if (&t == &host_) return host_stack_;
  return {stacks_.low(t.number), checker_stack_bytes_ + settings_.stack_bytes};
}

void executor::return_to_host() {
  switch_to(host_);
}

}  // namespace simt
