// SPDX-License-Identifier: Apache-2.0
#include <simt/objects/collectives.hpp>

#include <fmt/format.h>

#include <bit>

namespace simt {

namespace {

std::uint32_t first_lane(std::uint32_t lanes) {
  return static_cast<std::uint32_t>(std::countr_zero(lanes));
}

constexpr std::uint64_t rounds_until_converged = 4;  // a warp in step arrives within one

}  // namespace

collectives::collectives(running_launch& launch)
    : launch_(launch), all_(launch.resident.warps.size()) {
  launch.turns.ends_wait = [this](const thread& t) { finish_convergence(t, of(t).site[t.lane]); };
}

void collectives::begin(const block_state& block) {
  const auto first = all_.begin() + block.first_thread / warp_size;
  std::fill_n(first, launch_.resident.slots_per_block / warp_size, lanes_of_warp{});
}

/// The lanes of the mask that wait in this collective. Usually `latest` shows that all waiting ones
/// do.
std::uint32_t collectives::lanes_of_warp::at(collective which, std::uint32_t of_mask) const {
  const std::uint32_t there = of_mask & waiting;
  if (there == 0 || latest == collective_state{which, of_mask, there}) return there;
  std::uint32_t found = 0;
  for (std::uint32_t lanes = there; lanes != 0; lanes &= lanes - 1) {
    const std::uint32_t lane = first_lane(lanes);
    if (kind[lane] == which && mask[lane] == of_mask) found |= 1u << lane;
  }
  return found;
}

/// A correct mask contains the lane itself, and no lane that cannot arrive.
void collectives::check_mask(const thread& self, collective kind, std::uint32_t mask,
                             std::uint32_t arrived) const {
  const lanes_of_warp& warp = of(self);
  const std::uint32_t live = self.warp->live;
  const std::uint32_t ended = mask & ~live;
  const std::uint32_t elsewhere = mask & warp.waiting & ~arrived;
  if ((mask & 1u << self.lane) != 0 && (ended | elsewhere) == 0) return;
  failure wrong{.kind = fault_kind::wrong_warp_mask, .subject = &self, .mask = mask};
  if ((mask & 1u << self.lane) == 0) {
    wrong.lane = self.lane;
    launch_.turns.fail(wrong);
  }
  for (std::uint32_t lanes = mask; lanes != 0; lanes &= lanes - 1) {
    const std::uint32_t lane = first_lane(lanes);
    const bool gone = (live & 1u << lane) == 0;
    // A lane inside a collective with another mask may still arrive; one with this mask cannot.
    const bool at_another = (warp.waiting & 1u << lane) != 0 && warp.mask[lane] == mask &&
                            warp.kind[lane] != collective::converge && warp.kind[lane] != kind;
    if (gone || at_another) {
      wrong.lane = lane;
      launch_.turns.fail(wrong);
    }
  }
}

failure collectives::explain_deadlock() const {
  for (const thread& t : launch_.resident.threads) {
    if (t.state != thread_state::at_collective) continue;
    const lanes_of_warp& warp = of(t);
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

word collectives::join(collective kind, std::uint32_t mask, const word& value,
                       std::uint32_t argument) {
  const inside_operation now(launch_.turns, op_kind::warp_collective, scope::block);
  const thread& self = *current;
  lanes_of_warp& warp = of(self);
  mask &= self.warp->existing;  // of a block's last warp only existing lanes must arrive
  std::uint32_t arrived = warp.at(kind, mask);
  check_mask(self, kind, mask, arrived);
  arrived |= 1u << self.lane;
  if (kind == collective::sync) launch_.memory->publish(self, scope::block);
  warp.kind[self.lane] = kind;
  warp.mask[self.lane] = mask;
  warp.value[self.lane] = value;
  warp.source[self.lane] = argument;
  warp.waiting |= 1u << self.lane;
  warp.latest = {kind, mask, arrived};
  if (arrived == mask) {
    finish(warp, mask);
    launch_.progress.pass();
  } else {
    launch_.turns.wait_as(thread_state::at_collective);
  }
  return warp.value[self.lane];
}

void collectives::work_together(lanes_of_warp& warp, std::uint32_t mask) {
  std::array<void*, warp_size> brought{};
  for (std::uint32_t lanes = mask; lanes != 0; lanes &= lanes - 1) {
    const std::uint32_t lane = first_lane(lanes);
    if (lane_beside(*current, lane).site != current->site)
      launch_.turns.fail(
          {.kind = fault_kind::wrong_warp_mask, .subject = current, .mask = mask, .lane = lane});
    brought[lane] = reinterpret_cast<void*>(warp.value[lane].low);
  }
  reinterpret_cast<joint_work>(warp.value[current->lane].high)(brought);
}

void collectives::finish(lanes_of_warp& warp, std::uint32_t mask) {
  if (warp.kind[current->lane] == collective::together) work_together(warp, mask);
  const auto brought = warp.value;
  std::uint32_t ballot = 0;
  for (std::uint32_t lanes = mask; lanes != 0; lanes &= lanes - 1) {
    if (brought[first_lane(lanes)].low != 0) ballot |= 1u << first_lane(lanes);
  }
  for (std::uint32_t lanes = mask; lanes != 0; lanes &= lanes - 1) {
    const std::uint32_t lane = first_lane(lanes);
    thread& t = lane_beside(*current, lane);
    switch (warp.kind[lane]) {
      case collective::sync:  // each lane released at its arrival
        launch_.memory->fence(t, memory_order::acquire, scope::block);
        break;
      case collective::together:
        break;
      case collective::ballot:
        warp.value[lane] = {ballot, 0};
        break;
      case collective::shuffle:
        if ((mask & 1u << warp.source[lane]) == 0) {
          launch_.turns.fail({.kind = fault_kind::wrong_warp_mask,
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
    if (&t != current) launch_.turns.make_runnable(t);
  }
  if (launch_.races && warp.kind[first_lane(mask)] == collective::sync) {
    const std::uint32_t first = current->number - current->lane;
    meeting_.clear();
    for (std::uint32_t lanes = mask; lanes != 0; lanes &= lanes - 1)
      meeting_.push_back(first + first_lane(lanes));
    launch_.races->meet(meeting_, memory_order::acq_rel, scope::block);
  }
  warp.waiting &= ~mask;
}

std::uint32_t collectives::lanes_of_warp::at_convergence(const void* which) const {
  std::uint32_t lanes = 0;
  for (std::uint32_t left = waiting; left != 0; left &= left - 1) {
    const std::uint32_t lane = first_lane(left);
    if (kind[lane] == collective::converge && site[lane] == which) lanes |= 1u << lane;
  }
  return lanes;
}

/// Lets the lanes that have arrived together at one place of the kernel continue as a group.
void collectives::finish_convergence(const thread& of_warp, const void* site) {
  lanes_of_warp& warp = of(of_warp);
  const std::uint32_t together = warp.at_convergence(site);
  for (std::uint32_t lanes = together; lanes != 0; lanes &= lanes - 1) {
    thread& t = lane_beside(of_warp, first_lane(lanes));
    warp.value[t.lane] = {together, 0};
    t.wake = 0;
    if (t.state == thread_state::at_collective) launch_.turns.make_runnable(t);
  }
  warp.waiting &= ~together;
}

void collectives::leave(const thread& self) {
  const lanes_of_warp& warp = of(self);
  for (std::uint32_t waiting = warp.waiting; waiting != 0; waiting &= waiting - 1) {
    const void* site = warp.site[first_lane(waiting)];
    if (warp.at_convergence(site) == self.warp->live) return finish_convergence(self, site);
  }
}

std::uint32_t collectives::converge(const void* site) {
  const inside_operation now(launch_.turns, op_kind::warp_collective, scope::block);
  const thread& self = *current;
  lanes_of_warp& warp = of(self);
  warp.kind[self.lane] = collective::converge;
  warp.site[self.lane] = site;
  warp.mask[self.lane] = 0;
  warp.waiting |= 1u << self.lane;
  if (warp.at_convergence(site) == self.warp->live) {
    finish_convergence(self, site);
    launch_.turns.pass();
  } else {
    launch_.turns.wait_at_most(thread_state::at_collective,
                               launch_.how.schedule == schedule_kind::random
                                   ? launch_.random.below(16)
                                   : rounds_until_converged);
  }
  return static_cast<std::uint32_t>(warp.value[self.lane].low);
}

void collectives::check_leaving(const thread& self) const {
  const lanes_of_warp& warp = of(self);
  for (std::uint32_t waiting = warp.waiting; waiting != 0; waiting &= waiting - 1) {
    const std::uint32_t lane = first_lane(waiting);
    if (warp.kind[lane] != collective::converge && (warp.mask[lane] & 1u << self.lane) != 0) {
      launch_.turns.fail({.kind = fault_kind::wrong_warp_mask,
                          .subject = &lane_beside(self, lane),
                          .mask = warp.mask[lane],
                          .lane = self.lane});
    }
  }
}

void collectives::explain(const failure& what, fault& to) const {
  to.reason = fmt::format("names lane {} in mask {:#010x}, but that lane does not take part",
                          what.lane, what.mask);
  to.missing =
      "missing: a mask of all lanes that come there, and of no others (__activemask() tells "
      "only who happens to be together)";
}

void collectives::add_waiting(fault& to) const {
  std::size_t listed = 0;
  for (std::size_t i = 0; i < all_.size(); ++i) {
    const lanes_of_warp& warp = all_[i];
    std::uint32_t reported = 0;
    for (std::uint32_t waiting = warp.waiting; waiting != 0 && listed < longest_list;
         waiting &= waiting - 1) {
      const std::uint32_t lane = first_lane(waiting);
      if (warp.kind[lane] == collective::converge || (reported & 1u << lane) != 0) continue;
      const std::uint32_t mask = warp.mask[lane];
      const std::uint32_t here = warp.at(warp.kind[lane], mask);
      reported |= here;
      ++listed;
      const thread& first = launch_.resident.threads[i * warp_size + lane];
      to.threads.push_back({fmt::format("lanes {:#x} wait for lanes {:#x} of the warp of {}", here,
                                        mask & ~here, launch_.resident.name_of(first)),
                            launch_.turns.place_of(first)});
    }
  }
}

}  // namespace simt
