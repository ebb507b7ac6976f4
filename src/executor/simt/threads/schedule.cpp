// SPDX-License-Identifier: Apache-2.0
#include <simt/random.hpp>
#include <simt/threads/schedule.hpp>

#include <bit>
#include <cstdint>
#include <utility>
#include <vector>

namespace simt {

namespace {

/// Runnable lanes of every warp as one bit-mask. Picking the next takes a few instructions, and
/// lanes run in order, so that their stacks can be prefetched.
class warp_masks {
 public:
  explicit warp_masks(std::size_t threads) : masks_(threads / warp_size, 0) {}

  void add(const thread& t) { masks_[t.number / warp_size] |= 1u << t.lane; }
  void remove(const thread& t) { masks_[t.number / warp_size] &= ~(1u << t.lane); }
  std::uint32_t operator[](std::size_t warp) const { return masks_[warp]; }

  /// The first warp at or after `from`, cyclically, with a runnable lane; size() if none.
  std::size_t find(std::size_t from) const {
    for (std::size_t step = 0; step < masks_.size(); ++step) {
      std::size_t warp = from + step;
      if (warp >= masks_.size()) warp -= masks_.size();
      if (masks_[warp] != 0) return warp;
    }
    return masks_.size();
  }
  std::size_t size() const { return masks_.size(); }

 private:
  std::vector<std::uint32_t> masks_;
};

class round_robin final : public schedule {
 public:
  explicit round_robin(std::span<thread> threads) : threads_(threads), runnable_(threads.size()) {}

  void add(thread& t) override { runnable_.add(t); }
  void remove(thread& t) override { runnable_.remove(t); }

  thread* next(const thread* current) override {
    std::size_t warp = 0;
    std::uint32_t lanes_left = 0;
    if (current != nullptr) {
      warp = current->number / warp_size;
      lanes_left = runnable_[warp] & ~(0xffffffffu >> (31 - current->lane));
      if (lanes_left == 0) ++warp;
    }
    if (lanes_left == 0) {
      warp = runnable_.find(warp == runnable_.size() ? 0 : warp);
      if (warp == runnable_.size()) return nullptr;
      lanes_left = runnable_[warp];
    }
    thread* chosen = &threads_[warp * warp_size + lane_of(lanes_left)];
    fetch_ahead(warp, lanes_left & (lanes_left - 1));
    return chosen;
  }

 private:
  static std::size_t lane_of(std::uint32_t lanes) {
    return static_cast<std::size_t>(std::countr_zero(lanes));
  }

  // With many fibers, cache misses dominate the cost of a switch. The next lane's stack is known
  // one switch before it is needed, and its record two before.
  void fetch_ahead(std::size_t warp, std::uint32_t lanes_after) const {
    if (lanes_after == 0) return;
    const thread& soon = threads_[warp * warp_size + lane_of(lanes_after)];
    __builtin_prefetch(soon.context, 1);
    __builtin_prefetch(static_cast<const char*>(soon.context) + 64, 1);
    __builtin_prefetch(static_cast<const char*>(soon.context) + 128, 1);
    const std::uint32_t later = lanes_after & (lanes_after - 1);
    if (later != 0) __builtin_prefetch(&threads_[warp * warp_size + lane_of(later)], 1);
  }

  std::span<thread> threads_;
  warp_masks runnable_;
};

class random_order final : public schedule {
 public:
  random_order(std::span<thread> threads, std::uint64_t seed)
      : threads_(threads), place_(threads.size(), absent), random_(seed) {
    // Some bugs need fine interleaving, others a thread that runs far ahead. So every seed has its
    // own mean burst length, from 1 to 64 operations.
    constexpr std::uint32_t keep_going[] = {0, 0, 128, 192, 240, 252};
    keep_going_ = keep_going[random_.below(6)];
  }

  void add(thread& t) override {
    if (place_[t.number] != absent) return;
    place_[t.number] = static_cast<std::uint32_t>(runnable_.size());
    runnable_.push_back(t.number);
  }

  void remove(thread& t) override {
    const std::uint32_t place = place_[t.number];
    if (place == absent) return;
    runnable_[place] = runnable_.back();
    place_[runnable_[place]] = place;
    runnable_.pop_back();
    place_[t.number] = absent;
  }

  thread* next(const thread* current) override {
    if (runnable_.empty()) return nullptr;
    if (current != nullptr && place_[current->number] != absent &&
        random_.below(256) < keep_going_) {
      return &threads_[current->number];
    }
    return &threads_[runnable_[random_.below(static_cast<std::uint32_t>(runnable_.size()))]];
  }

 private:
  static constexpr std::uint32_t absent = 0xffffffff;
  std::span<thread> threads_;
  std::vector<std::uint32_t> runnable_;
  std::vector<std::uint32_t> place_;
  random_source random_;
  std::uint32_t keep_going_ = 0;
};

/// Another schedule with one preemption.
class with_preemption final : public schedule {
 public:
  with_preemption(std::unique_ptr<schedule> others, std::span<thread> threads, const preemption& p)
      : others_(std::move(others)), threads_(threads), planned_(p) {}

  void add(thread& t) override { others_->add(t); }
  void remove(thread& t) override { others_->remove(t); }

  thread* next(const thread* current) override {
    if (aside_ != nullptr && ++turns_aside_ > planned_.length) resume_all();
    if (current != nullptr && current->lane < planned_.lanes) ++turn_;
    // A thread that waits at the chosen operation is as good as preempted; the next operation will
    // do.
    if (turn_ >= planned_.after_turn && !done_ && current != nullptr &&
        current->state == thread_state::runnable) {
      done_ = true;
      aside_ = &threads_[current->number];
      others_->remove(*aside_);
    }
    return others_->next(current);
  }

  bool resume_all() override {
    if (aside_ == nullptr) return false;
    others_->add(*aside_);
    aside_ = nullptr;
    return true;
  }

 private:
  std::unique_ptr<schedule> others_;
  std::span<thread> threads_;
  preemption planned_;
  std::uint64_t turn_ = 0;
  std::uint64_t turns_aside_ = 0;
  bool done_ = false;
  thread* aside_ = nullptr;  ///< runnable, but held back
};

/// One program counter per warp, as before Volta. Warps run in turn. Of a warp, the lanes deepest
/// in calls and then at the lowest address run their next basic block, all together ("MinSP-PC",
/// Collange, "Stack-less SIMT reconvergence at low cost", 2011). In the code layout a join follows
/// what it joins. So lanes past a branch or a loop wait there for those still inside: those GPUs
/// reconverge, and deadlock, in the same way.
class lockstep final : public schedule {
 public:
  explicit lockstep(std::span<thread> threads)
      : threads_(threads), runnable_(threads.size()), to_step_(threads.size() / warp_size, 0) {}

  void add(thread& t) override { runnable_.add(t); }
  void remove(thread& t) override { runnable_.remove(t); }
  bool per_basic_block() const override { return true; }

  thread* next(const thread* current) override {
    const std::size_t after = current == nullptr ? 0 : current->number / warp_size + 1;
    const std::size_t warp = runnable_.find(after >= runnable_.size() ? 0 : after);
    if (warp == runnable_.size()) return nullptr;
    std::uint32_t lanes = to_step_[warp] & runnable_[warp];
    if (lanes == 0) lanes = leading_group(warp);
    to_step_[warp] = lanes & (lanes - 1);
    return &lane(warp, lanes);
  }

 private:
  thread& lane(std::size_t warp, std::uint32_t lanes) const {
    return threads_[warp * warp_size + static_cast<std::size_t>(std::countr_zero(lanes))];
  }

  /// The runnable lanes of the warp at the address to be executed next.
  std::uint32_t leading_group(std::size_t warp) const {
    const thread* first = nullptr;
    std::uint32_t group = 0;
    for (std::uint32_t lanes = runnable_[warp]; lanes != 0; lanes &= lanes - 1) {
      const thread& t = lane(warp, lanes);
      if (first == nullptr || goes_before(t, *first)) {
        first = &t;
        group = 0;
      }
      if (!goes_before(*first, t)) group |= 1u << t.lane;
    }
    return group;
  }

  // Stack pointers lie above stack_end, so the difference wraps: deeper is larger. A thread that
  // has not started yet precedes all others.
  static std::uintptr_t depth(const thread& t) {
    return t.stack_pointer == 0 ? ~std::uintptr_t{0} : t.stack_end - t.stack_pointer;
  }
  static bool goes_before(const thread& a, const thread& b) {
    if (depth(a) != depth(b)) return depth(a) > depth(b);
    return a.program_counter < b.program_counter;
  }

  std::span<thread> threads_;
  warp_masks runnable_;
  std::vector<std::uint32_t> to_step_;  ///< per warp: lanes of the group still to run their block
};

}  // namespace

std::unique_ptr<schedule> make_schedule(const settings& s, std::span<thread> threads) {
  if (s.preempted.after_turn != 0) {
    settings without = s;
    without.preempted = {};
    return std::make_unique<with_preemption>(make_schedule(without, threads), threads, s.preempted);
  }
  switch (s.schedule) {
    case schedule_kind::random:
      return std::make_unique<random_order>(threads, s.seed);
    case schedule_kind::lockstep:
      return std::make_unique<lockstep>(threads);
    default:
      return std::make_unique<round_robin>(threads);
  }
}

}  // namespace simt
