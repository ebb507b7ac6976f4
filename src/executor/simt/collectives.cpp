// SPDX-License-Identifier: Apache-2.0
// Warp collectives and __syncthreads: which threads wait for which, and what is wrong when the
// others cannot arrive.
#include <simt/executor.hpp>

#include <bit>
#include <numeric>
#include <utility>

namespace simt {

namespace {

std::uint32_t first_lane(std::uint32_t lanes) {
  return static_cast<std::uint32_t>(std::countr_zero(lanes));
}

constexpr std::uint64_t rounds_until_converged = 4;  // a warp in step arrives within one

}  // namespace

/// The lanes of the mask that wait in this collective. Usually `latest` shows that all waiting ones
/// do.
std::uint32_t executor::lanes_at(const warp_state& warp, collective kind, std::uint32_t mask) {
  const std::uint32_t waiting = mask & warp.waiting;
  if (waiting == 0 || warp.latest == warp_state::collective_state{kind, mask, waiting})
    return waiting;
  std::uint32_t found = 0;
  for (std::uint32_t lanes = waiting; lanes != 0; lanes &= lanes - 1) {
    const std::uint32_t lane = first_lane(lanes);
    if (warp.kind[lane] == kind && warp.mask[lane] == mask) found |= 1u << lane;
  }
  return found;
}

/// A correct mask contains the lane itself, and no lane that cannot arrive.
void executor::check_mask(const thread& self, collective kind, std::uint32_t mask,
                          std::uint32_t arrived) {
  const warp_state& warp = *self.warp;
  const std::uint32_t ended = mask & ~warp.live;
  const std::uint32_t elsewhere = mask & warp.waiting & ~arrived;
  if ((mask & 1u << self.lane) != 0 && (ended | elsewhere) == 0) return;
  failure wrong{.kind = fault_kind::wrong_warp_mask, .subject = &self, .mask = mask};
  if ((mask & 1u << self.lane) == 0) {
    wrong.lane = self.lane;
    fail(wrong);
  }
  for (std::uint32_t lanes = mask; lanes != 0; lanes &= lanes - 1) {
    const std::uint32_t lane = first_lane(lanes);
    const bool gone = (warp.live & 1u << lane) == 0;
    // A lane inside a collective with another mask may still arrive; one with this mask cannot.
    const bool at_another = (warp.waiting & 1u << lane) != 0 && warp.mask[lane] == mask &&
                            warp.kind[lane] != collective::converge && warp.kind[lane] != kind;
    if (gone || at_another) {
      wrong.lane = lane;
      fail(wrong);
    }
  }
}

/// Two lanes that each wait for the other in collectives of different lanes are a wrong mask.
executor::failure executor::explain_deadlock() const {
  for (const thread& t : threads_) {
    if (t.state != thread_state::at_collective) continue;
    const warp_state& warp = *t.warp;
    for (std::uint32_t lanes = warp.mask[t.lane]; lanes != 0; lanes &= lanes - 1) {
      const std::uint32_t lane = first_lane(lanes);
      if ((warp.waiting & 1u << lane) != 0 && warp.mask[lane] != warp.mask[t.lane]) {
        return {.kind = fault_kind::wrong_warp_mask,
                .subject = &t,
                .mask = warp.mask[t.lane],
                .lane = lane};
      }
    }
  }
  return {.kind = fault_kind::deadlock};
}

word executor::warp_collective(collective kind, std::uint32_t mask, const word& value,
                               std::uint32_t argument) {
  inside_ = true;
  thread& self = *current;
  begin_operation(op_kind::warp_collective, scope::block, space::none);
  warp_state& warp = *self.warp;
  mask &= warp.existing;  // of a block's last warp only existing lanes must arrive
  std::uint32_t arrived = lanes_at(warp, kind, mask);
  check_mask(self, kind, mask, arrived);
  arrived |= 1u << self.lane;
  if (kind == collective::sync) memory_->publish(self, scope::block);
  warp.kind[self.lane] = kind;
  warp.mask[self.lane] = mask;
  warp.value[self.lane] = value;
  warp.source[self.lane] = argument;
  warp.waiting |= 1u << self.lane;
  warp.latest = {kind, mask, arrived};
  if (arrived == mask) {
    finish_collective(warp, mask);
    check_progress();
    reschedule();
  } else {
    wait_as(thread_state::at_collective);
  }
  inside_ = false;
  return warp.value[self.lane];
}

void executor::work_together(warp_state& warp, std::uint32_t mask) {
  std::array<void*, warp_size> brought{};
  for (std::uint32_t lanes = mask; lanes != 0; lanes &= lanes - 1) {
    const std::uint32_t lane = first_lane(lanes);
    if (lane_of(warp, lane).site != current->site)
      fail({.kind = fault_kind::wrong_warp_mask, .subject = current, .mask = mask, .lane = lane});
    brought[lane] = reinterpret_cast<void*>(warp.value[lane].low);
  }
  reinterpret_cast<joint_work>(warp.value[current->lane].high)(brought);
}

void executor::finish_collective(warp_state& warp, std::uint32_t mask) {
  if (warp.kind[current->lane] == collective::together) work_together(warp, mask);
  const auto brought = warp.value;
  std::uint32_t ballot = 0;
  for (std::uint32_t lanes = mask; lanes != 0; lanes &= lanes - 1) {
    if (brought[first_lane(lanes)].low != 0) ballot |= 1u << first_lane(lanes);
  }
  for (std::uint32_t lanes = mask; lanes != 0; lanes &= lanes - 1) {
    const std::uint32_t lane = first_lane(lanes);
    thread& t = lane_of(warp, lane);
    switch (warp.kind[lane]) {
      case collective::sync:  // each lane released at its arrival
        memory_->fence(t, memory_order::acquire, scope::block);
        break;
      case collective::together:
        break;
      case collective::ballot:
        warp.value[lane] = {ballot, 0};
        break;
      case collective::shuffle:
        if ((mask & 1u << warp.source[lane]) == 0) {
          fail({.kind = fault_kind::wrong_warp_mask,
                .subject = &t,
                .mask = mask,
                .lane = warp.source[lane]});
        }
        warp.value[lane] = brought[warp.source[lane]];
        break;
      default: {  // match
        std::uint32_t equal = 0;
        for (std::uint32_t others = mask; others != 0; others &= others - 1) {
          if (brought[first_lane(others)] == brought[lane]) equal |= 1u << first_lane(others);
        }
        warp.value[lane] = {equal, 0};
      }
    }
    if (&t != current) make_runnable(t);
  }
  if (races_ && warp.kind[first_lane(mask)] == collective::sync) {
    const auto first = static_cast<std::uint32_t>(&lane_of(warp, 0) - threads_.data());
    meeting_.clear();
    for (std::uint32_t lanes = mask; lanes != 0; lanes &= lanes - 1)
      meeting_.push_back(first + first_lane(lanes));
    races_->meet(meeting_, memory_order::acq_rel, scope::block);
  }
  warp.waiting &= ~mask;
}

std::uint32_t executor::lanes_at_convergence(const warp_state& warp, const void* site) const {
  std::uint32_t lanes = 0;
  for (std::uint32_t waiting = warp.waiting; waiting != 0; waiting &= waiting - 1) {
    const std::uint32_t lane = first_lane(waiting);
    if (warp.kind[lane] == collective::converge && warp.site[lane] == site) lanes |= 1u << lane;
  }
  return lanes;
}

/// Lets the lanes that have arrived together at one place of the kernel continue as a group.
void executor::finish_convergence(warp_state& warp, const void* site) {
  const std::uint32_t together = lanes_at_convergence(warp, site);
  for (std::uint32_t lanes = together; lanes != 0; lanes &= lanes - 1) {
    thread& t = lane_of(warp, first_lane(lanes));
    warp.value[t.lane] = {together, 0};
    t.wake = 0;
    if (t.state == thread_state::at_collective) make_runnable(t);
  }
  warp.waiting &= ~together;
}

/// After a lane has ended, the waiting lanes may be the only ones left.
void executor::finish_complete_convergence(warp_state& warp) {
  for (std::uint32_t waiting = warp.waiting; waiting != 0; waiting &= waiting - 1) {
    const void* site = warp.site[first_lane(waiting)];
    if (lanes_at_convergence(warp, site) == warp.live) return finish_convergence(warp, site);
  }
}

// Which lanes a GPU finds together is chance. Here they are all that arrive within a few rounds of
// the first or, on a random schedule, within a drawn time.
std::uint32_t executor::converged_lanes(const void* site) {
  inside_ = true;
  thread& self = *current;
  begin_operation(op_kind::warp_collective, scope::block, space::none);
  warp_state& warp = *self.warp;
  warp.kind[self.lane] = collective::converge;
  warp.site[self.lane] = site;
  warp.mask[self.lane] = 0;
  warp.waiting |= 1u << self.lane;
  if (lanes_at_convergence(warp, site) == warp.live) {
    finish_convergence(warp, site);
    reschedule();
  } else {
    const std::uint64_t rounds =
        settings_.schedule == schedule_kind::random ? random_.below(16) : rounds_until_converged;
    sleep_until(time_ + (rounds * round_ns << time_bits) + 1);
    wait_as(thread_state::at_collective);
  }
  inside_ = false;
  return static_cast<std::uint32_t>(warp.value[self.lane].low);
}

std::uint32_t executor::block_barrier(bool vote) {
  inside_ = true;
  thread& self = *current;
  block_state& block = *self.block;
  begin_operation(op_kind::block_barrier, scope::block, space::none);
  block.votes += vote;
  if (named_barrier_of(block, 0).arrived > 0) {
    arrive(0, slots_per_block_, true);
    inside_ = false;
    return block.verdict;
  }
  if (block.live < block.threads) fail({.kind = fault_kind::divergent_barrier, .subject = &self});
  memory_->publish(self, scope::block);
  if (++block.at_barrier < block.threads) {
    wait_as(thread_state::at_barrier);
  } else {
    block.at_barrier = 0;
    block.verdict = std::exchange(block.votes, 0);
    if (races_) {
      meeting_.resize(block.threads);
      std::iota(meeting_.begin(), meeting_.end(), block.first_thread);
      races_->meet_in_block(block, meeting_);
    }
    for (std::uint32_t i = 0; i < block.threads; ++i) {
      thread& t = threads_[block.first_thread + i];
      memory_->fence(t, memory_order::acquire, scope::block);  // from all: not before they arrived
      if (t.state == thread_state::at_barrier) make_runnable(t);
    }
    check_progress();
    reschedule();
  }
  inside_ = false;
  return block.verdict;
}

/// A thread must not end if other threads of its block or warp wait for it.
void executor::check_leaving(const thread& self) {
  if (self.block->at_barrier > 0) fail({.kind = fault_kind::divergent_barrier, .subject = &self});
  const warp_state& warp = *self.warp;
  for (std::uint32_t waiting = warp.waiting; waiting != 0; waiting &= waiting - 1) {
    const std::uint32_t lane = first_lane(waiting);
    if (warp.kind[lane] != collective::converge && (warp.mask[lane] & 1u << self.lane) != 0) {
      fail({.kind = fault_kind::wrong_warp_mask,
            .subject = &lane_of(*self.warp, lane),
            .mask = warp.mask[lane],
            .lane = self.lane});
    }
  }
}

}  // namespace simt
