// The kernel's side of counter_barrier.cuh, which explains it: what each thread keeps in registers,
// and how it learns at the start of a kernel what to add to and what to poll.
#pragma once

#include "finesync/barriers/arrival_gate.cuh"
#include "finesync/barriers/counter_plan.cuh"
#include "finesync/barriers/epoch_counter.cuh"
#include "finesync/barriers/grid_barrier.cuh"
#include "finesync/barriers/sm_roster.cuh"
#include "finesync/device/clock.cuh"
#include "finesync/device/fence.cuh"
#include "finesync/device/l2_lines.cuh"
#include "finesync/device/polling.cuh"
#include "finesync/device/sleep.cuh"
#include "finesync/device/warp.cuh"

#include <cstdint>

namespace finesync {
inline namespace FINESYNC_ABI {

/// The fences of a counter barrier: a policy, so that tests can leave one out.
struct counter_fences {
  /// Before an addition: what the block wrote, and what its lanes acquired.
  __device__ static void publish() { fence<memory_order::release, scope::device>(); }
  /// After the last poll.
  __device__ static void receive() { fence<memory_order::acquire, scope::device>(); }
};

template <class Fences>
class counter_meeting {
  using word = cell<std::uint32_t>;
  using counter = atomic_ref<std::uint32_t, scope::device>;
  static constexpr unsigned root = 0;  ///< a block

 public:
  class participant {
   public:
    __device__ bool wait() {
      __syncthreads();
      const bool gave_up = threadIdx.x < 32 && !meet();
      return __syncthreads_or(gave_up) == 0;
    }

   private:
    friend class counter_meeting;
    __device__ explicit participant(const watchdog_ref& watchdog) : watchdog_(watchdog) {}

    /// By the block's first warp. Every branch before the addition is some 7 ns that the whole grid
    /// waits, so what most threads do comes first.
    __device__ bool meet() {
      if (part_ == part::passes_on) return meet_for_others();
      if (part_ == part::adds) add();
      pause_cycles(first_poll_);
      return poll();
    }

    __device__ bool meet_for_others() {
      if (is_root_) {
        // What the block has written is out by the time the others have arrived, and the release
        // that everybody waits for then costs little.
        Fences::publish();
        if (!poll()) return false;
        warp_.sync();  // carries what each lane acquired to those that add
        if (threadIdx.x < adders_) add();
        return true;
      }
      if (last_of_sm() && threadIdx.x < adders_) add();
      pause_cycles(first_poll_);
      return poll();
    }

    __device__ void add() {
      Fences::publish();
      counter(*added_).fetch_add(share_, memory_order::relaxed);
    }

    /// All lanes poll, also where there are fewer lines to poll, so that the warp stays
    /// together.
    __device__ bool poll() {
      bounded_wait wait(watchdog_, awaited::blocks);
      const auto all_have_come = [this] {
        return warp_.all(has_reached(counter(*watched_).load(memory_order::relaxed), target_));
      };
      while (!poll_briefly(all_have_come))
        if (warp_.any(wait.timed_out())) return false;
      Fences::receive();
      target_ += epoch_;
      return true;
    }

    /// Arrives at the counter of the SM; true in its last block.
    __device__ bool last_of_sm() {
      bool last = false;
      if (threadIdx.x == 0) {
        Fences::publish();
        last = counter(*sm_).fetch_add(1, memory_order::relaxed) + 1 == sm_target_;
        sm_target_ += sm_blocks_;
        if (last) Fences::receive();
      }
      last = warp_.get(last, 0);
      warp_.sync();  // carries what thread 0 acquired to the lanes that add
      return last;
    }

    enum class part : std::uint8_t {
      polls,      ///< only polls
      adds,       ///< adds, and then polls
      passes_on,  ///< is in the root, or in one of the blocks of an SM
    };

    watchdog_ref watchdog_;
    first_warp warp_;
    part part_ = part::polls;
    word* added_ = nullptr;    ///< what this lane adds to
    word* watched_ = nullptr;  ///< what this lane polls
    word* sm_ = nullptr;       ///< sm_groups: the counter of the SM
    std::uint32_t share_ = 1;  ///< what this lane adds
    std::uint32_t epoch_ = 1;  ///< what a barrier adds to what this lane polls
    std::uint32_t target_ = 0;
    std::uint32_t sm_target_ = 0;
    unsigned sm_blocks_ = 0;
    unsigned adders_ = 0;
    unsigned first_poll_ = 0;
    bool is_root_ = false;
  };

  class handle {
   public:
    using participant = typename counter_meeting::participant;

    handle(const counter_plan& plan, const l2_lines_ref& lines, const sm_roster::handle& roster)
        : plan_(plan), lines_(lines), roster_(roster) {}

    __device__ participant join(const watchdog_ref& watchdog) const {
      participant p(watchdog);
      p.adders_ = plan_.sides * plan_.replicas;
      p.first_poll_ = plan_.first_poll;
      switch (plan_.how) {
        case meeting::one_hop:
          join_one_hop(p);
          break;
        case meeting::sm_groups:
          join_sm_groups(p);
          break;
        case meeting::gather_scatter:
          join_gather_scatter(p);
          break;
      }
      if (p.is_root_ || p.sm_ != nullptr) {
        p.part_ = participant::part::passes_on;
      } else if (threadIdx.x < p.adders_) {
        p.part_ = participant::part::adds;
      }
      return p;
    }

   private:
    friend class counter_meeting;

    __device__ void join_one_hop(participant& p) const {
      const division blocks(gridDim.x, plan_.lines);
      const unsigned line = blockIdx.x % plan_.lines;
      add_to_copies_of(p, line);
      choose_polled(p, blockIdx.x / plan_.lines % plan_.replicas, blocks.used());
      p.epoch_ = blocks.epoch();
      p.share_ = blocks.share(blockIdx.x);
      // All counters count alike, so a block knows where the others stand from its own, which
      // cannot be complete without the block.
      const std::uint32_t now = counter(*copy(0, 0, line)).load(memory_order::relaxed);
      p.target_ = (now & ~(p.epoch_ - 1)) + p.epoch_;
    }

    __device__ void join_sm_groups(participant& p) const {
      add_to_copies_of(p, 0);
      // On the side of the place, not of the caller's SM: those that share a place share a counter.
      const unsigned sm = sm_slot();
      p.sm_ = &lines_.line(lines_.side_of(sm), plan_.replicas + sm);
      // No block of this launch can have arrived before all have joined.
      p.sm_target_ = counter(*p.sm_).load(memory_order::relaxed);
      p.target_ = counter(*copy(0, 0, 0)).load(memory_order::relaxed);
      const sm_place place = roster_.join(p.watchdog_, sm);
      choose_polled(p, place.group % plan_.replicas, 1);
      p.sm_blocks_ = place.blocks;
      p.sm_target_ += place.blocks;
      p.epoch_ = place.groups;
      // Those who did join must not meet without the others: the watchdog, which has fired, then
      // ends a wait for more than can come.
      p.target_ += place.ok != 0 ? p.epoch_ : 1u << 30;
    }

    /// Counters are the first lines of the root's side; release lines follow, as copies of one.
    __device__ void join_gather_scatter(participant& p) const {
      const division others(gridDim.x - 1, plan_.lines);
      p.is_root_ = blockIdx.x == root;
      const unsigned own_side = lines_.side();
      // As above: read before all have joined.
      const std::uint32_t released = counter(release_line(0, 0)).load(memory_order::relaxed);
      if (p.is_root_) {
        p.watched_ = &lines_.line(own_side, threadIdx.x < others.used() ? threadIdx.x : 0);
        p.epoch_ = others.epoch();
        p.target_ = counter(*p.watched_).load(memory_order::relaxed) + p.epoch_;
        if (threadIdx.x < p.adders_) {
          p.added_ = &release_line(threadIdx.x / plan_.replicas, threadIdx.x % plan_.replicas);
        }
      }
      const unsigned roots_side = tell_side_of_root(own_side, p.watchdog_);
      if (p.is_root_) return;
      const unsigned number = blockIdx.x - 1;
      p.adders_ = 1;
      p.added_ = &lines_.line(roots_side, number % plan_.lines);
      p.share_ = others.share(number);
      p.watched_ = &release_line(plan_.sides == 1 ? 0 : own_side, number % plan_.replicas);
      p.target_ = released + 1;
    }

    /// Arrivals dealt out to counters in turn. Every counter counts the same per epoch, a power of
    /// two, as its first arrival makes up for what it lacks.
    class division {
     public:
      __device__ division(unsigned arrivals, unsigned lines) : arrivals_(arrivals), lines_(lines) {}
      /// Counters that have arrivals; 1 when there are none at all.
      __device__ unsigned used() const {
        return arrivals_ == 0 ? 1 : arrivals_ < lines_ ? arrivals_ : lines_;
      }
      __device__ std::uint32_t epoch() const {
        return arrivals_ == 0 ? 0 : epoch_counter((arrivals_ + lines_ - 1) / lines_).epoch();
      }
      /// What arrival `number` (0-based) adds to counter `number` % lines.
      __device__ std::uint32_t share(unsigned number) const {
        if (number >= lines_) return 1;
        const unsigned arrivals = (arrivals_ - number + lines_ - 1) / lines_;
        return epoch() - (arrivals - 1);
      }

     private:
      unsigned arrivals_;
      unsigned lines_;
    };

    __device__ word* copy(unsigned side, unsigned replica, unsigned line) const {
      return &lines_.line(side, replica * plan_.lines + line);
    }
    __device__ void add_to_copies_of(participant& p, unsigned line) const {
      const unsigned lane = threadIdx.x;
      if (lane < p.adders_) p.added_ = copy(lane / plan_.replicas, lane % plan_.replicas, line);
    }
    __device__ void choose_polled(participant& p, unsigned replica, unsigned lines) const {
      const unsigned side = plan_.sides == 1 ? 0 : lines_.side();
      p.watched_ = copy(side, replica, threadIdx.x < lines ? threadIdx.x : 0);
    }
    __device__ word& release_line(unsigned side, unsigned replica) const {
      return lines_.line(side, plan_.lines + replica);
    }

    /// Contains a grid barrier. Where the watchdog ends it, the root will wait in vain.
    __device__ unsigned tell_side_of_root(unsigned own_side, const watchdog_ref& watchdog) const {
      const unsigned last = plan_.lines + plan_.replicas;
      word& roots_side = lines_.line(0, last);
      __syncthreads();  // what the block's threads read before joining, they have read
      if (threadIdx.x == 0) {
        arrival_gate gate(reinterpret_cast<cell<std::uint64_t>&>(lines_.line(1, last)), gridDim.x);
        const std::uint64_t opening = gate.openings() + 1;
        if (blockIdx.x == root) roots_side = own_side;
        gate.pass(opening, watchdog);
      }
      __syncthreads();
      return roots_side;
    }

    counter_plan plan_;
    l2_lines_ref lines_;
    sm_roster::handle roster_;
  };
};

static_assert(grid_barrier<counter_meeting<counter_fences>::handle>);

}  // namespace FINESYNC_ABI
}  // namespace finesync
