// Barriers of teams as CUTLASS's flags make them: a counter per team, to which one thread of each
// member adds with release, and which it polls with acquire. The baseline of team_barrier.cuh.
//
// Contract: cutlass_counter_barrier.cuh, for the members of a team in place of all blocks.
// Source: CUTLASS 7107b05, barrier.h: arrive_inc, wait_lt; the counter goes on from round to round
//   in place of a reset.
#pragma once

#include <finesync/barriers/epoch_counter.cuh>
#include <finesync/barriers/overlap.cuh>
#include <finesync/barriers/team_barrier.cuh>
#include <finesync/device/atomic_ref.cuh>
#include <finesync/device/await.cuh>
#include <finesync/device/fence.cuh>
#include <finesync/device/wrap_around.cuh>
#include <finesync/host/buffer.cuh>

#include <cstdint>

namespace finesync::team {

class cutlass_teams {
  struct alignas(line_bytes) state {
    cell<std::uint32_t> arrived;
  };

  class member {
   public:
    static constexpr unsigned callers = 1;  ///< threads of a block that call the functions below

    __device__ member(state& s, const team_place& place, const watchdog_ref& watchdog)
        : arrived_(s.arrived),
          arrivals_(place.members),
          increment_(arrivals_.increment(place.rank == 0)),
          target_(arrivals_.target(arrived_.load(memory_order::relaxed))),
          watchdog_(watchdog) {}

    __device__ bool sync_for_block() {
      fence<memory_order::acq_rel, scope::device>();
      arrived_.fetch_add(increment_, memory_order::relaxed);
      const auto has_come = [this] {
        return has_reached(arrived_.load(memory_order::acquire), target_);
      };
      if (!await(watchdog_, awaited::blocks, has_come)) return false;
      target_ += arrivals_.epoch();
      return true;
    }

   private:
    atomic_ref<std::uint32_t, scope::device> arrived_;
    epoch_counter arrivals_;
    std::uint32_t increment_;
    std::uint32_t target_;
    watchdog_ref watchdog_;
  };

 public:
  using participant = with_overlap<member>;

  class ref_type {
   public:
    explicit ref_type(state* states) : states_(states) {}
    __device__ participant join(const team_place& place, const watchdog_ref& watchdog) const {
      return participant(states_[place.team], place, watchdog);
    }

   private:
    state* states_;
  };

  explicit cutlass_teams(unsigned teams) : states_(teams) {}

  void reset() { states_.reset(); }
  ref_type ref() const { return ref_type(states_.device_data()); }

 private:
  zeroed_states<state> states_;
};

}  // namespace finesync::team
