// SPDX-License-Identifier: Apache-2.0
// The device side of counter_barrier.cuh, which explains it: the registers of each thread, and how
// a thread finds its counters at the start of a kernel.
#pragma once

#include "finesync/barriers/counter_plan.cuh"
#include "finesync/barriers/epoch_counter.cuh"
#include "finesync/barriers/grid_barrier.cuh"
#include "finesync/barriers/overlap.cuh"
#include "finesync/barriers/reduction.cuh"
#include "finesync/barriers/side_of_root.cuh"
#include "finesync/barriers/sm_roster.cuh"
#include "finesync/device/await.cuh"
#include "finesync/device/clock.cuh"
#include "finesync/device/fence.cuh"
#include "finesync/device/l2_lines.cuh"
#include "finesync/device/numbering.cuh"
#include "finesync/device/ptx/sleep.cuh"
#include "finesync/device/warp.cuh"
#include "finesync/device/wrap_around.cuh"
#include "finesync/host/l2_lines.cuh"

#include <cstdint>
#include <type_traits>

namespace finesync::inline FINESYNC_ABI {

/// The fences of a counter barrier, as a policy, so that tests can leave one out.
struct counter_fences {
  /// Before an addition: releases the block's writes and what its lanes acquired.
  __device__ static void release() { fence<memory_order::release, scope::device>(); }
  /// After the last poll.
  __device__ static void acquire() { fence<memory_order::acquire, scope::device>(); }
};

/// Orders execution only: no thread passes before all have arrived, and the reduction's result is
/// known. Other threads may see earlier writes late, also those by atomics. A read after the
/// barrier may return a value older than the barrier. Only for flat_counters: if one block passes
/// on what it saw of others, not even fences around the barrier would order the rest.
struct no_fences {
  __device__ static void release() {}
  __device__ static void acquire() {}
};

/// \tparam Reduction what arrivals contribute (reduction.cuh).
template <class Fences, class Reduction = no_reduction>
class counter_participant {
  using number = typename Reduction::word;
  using word = cell<number>;
  using counter = atomic_ref<number, scope::device>;

  static_assert(!Reduction::is_reduction || !std::is_same_v<Fences, no_fences> ||
                    !Reduction::needs_fences,
                "a minimum is not in the arrival's word: only fences order the two");

  /// More arrivals than are possible.
  static constexpr number never = Reduction::arrivals(1u << (Reduction::is_reduction ? 14 : 30));

  class block_participant : public reduction_state<Reduction> {
   public:
    static constexpr unsigned callers = 32;  ///< threads of a block that call the functions below

    /// Every branch before the addition delays the whole grid by about 7 ns, so the most common
    /// case comes first.
    __device__ bool sync_for_block() {
      this->load(warp_);
      if (role_ == role::passes_on) return sync_for_others();
      if (role_ == role::adds) add();
      pause_cycles(first_poll_);
      return poll();
    }

    /// The root has no block to release yet: the others go on when the root waits and all have
    /// arrived.
    __device__ void arrive_for_block() {
      this->load(warp_);
      if (role_ == role::passes_on)
        arrive_for_others();
      else if (role_ == role::adds)
        add();
    }

    __device__ bool wait_for_block() { return is_root_ ? gather_and_broadcast() : poll(); }

   private:
    friend class counter_participant;
    __device__ explicit block_participant(const watchdog_ref& watchdog) : watchdog_(watchdog) {}

    __device__ bool sync_for_others() {
      if (is_root_) {
        // By the time the others have arrived, the block's writes are complete. The release fence
        // that all blocks wait for then costs little.
        Fences::release();
        return gather_and_broadcast();
      }
      if (last_of_sm() && thread_rank() < adders_) add();
      pause_cycles(first_poll_);
      return poll();
    }

    __device__ void arrive_for_others() {
      if (is_root_)
        Fences::release();  // as above
      else if (last_of_sm() && thread_rank() < adders_)
        add();
    }

    __device__ bool gather_and_broadcast() {
      if (!warp_.all(poll())) return false;
      warp_.sync();  // passes what each lane acquired on to the lanes that add
      if constexpr (Reduction::is_reduction)
        this->reduced_ = this->contribution_ =
            Reduction::combine(this->contribution_, this->reduced_);
      if (thread_rank() < adders_) add();
      return true;
    }

    __device__ void add() {
      number arriving = increment_;
      if constexpr (Reduction::is_reduction) {
        Reduction::contribute(*added_, this->contribution_, this->round_);
        arriving += Reduction::added(this->contribution_, this->round_);
      }
      Fences::release();
      counter(*added_).fetch_add(arriving, memory_order::relaxed);
    }

    /// All lanes poll, even if there are fewer lines: so they load together. Each leaves its loop
    /// for itself, as a vote in it would delay every poll.
    __device__ bool poll() {
      number seen = 0;
      const auto has_come = [&] {
        seen = counter(*watched_).load(memory_order::relaxed);
        return has_reached(seen, target_);
      };
      bool all_have_come = await(watchdog_, awaited::blocks, has_come, [&] {
        return wait_evidence{seen, target_};
      });
      if constexpr (Reduction::is_reduction) all_have_come = warp_.all(all_have_come);
      if (!all_have_come) return false;
      Fences::acquire();
      if constexpr (Reduction::is_reduction) {
        const std::uint32_t found = Reduction::found(*watched_, seen - target_, this->round_);
        target_ += Reduction::added(found, this->round_);
        const std::uint32_t total =
            Reduction::of_all(warp_, this->polls_own_line_ ? found : Reduction::nothing);
        this->reduced_ = Reduction::result(total);
      }
      target_ += epoch_;
      return true;
    }

    /// Arrives at the SM's counter. \returns true in the last block.
    __device__ bool last_of_sm() {
      bool last = false;
      if (is_first_of_block()) {
        Fences::release();
        last = counter(*sm_).fetch_add(1, memory_order::relaxed) + 1 == sm_target_;
        sm_target_ += sm_blocks_;
        if (last) Fences::acquire();
      }
      last = warp_.get(last, 0);
      warp_.sync();  // passes what thread 0 acquired on to the lanes that add
      return last;
    }

    enum class role : std::uint8_t {
      polls,      ///< only polls
      adds,       ///< adds, then polls
      passes_on,  ///< is in the root, or in a block of an SM group
    };

    watchdog_ref watchdog_;
    first_warp warp_;
    role role_ = role::polls;
    word* added_ = nullptr;                      ///< counter to which this lane adds
    word* watched_ = nullptr;                    ///< counter that this lane polls
    word* sm_ = nullptr;                         ///< sm_counters: the SM's counter
    number increment_ = Reduction::arrivals(1);  ///< amount that this lane adds
    number epoch_ = Reduction::arrivals(1);  ///< amount that one barrier adds to the polled counter
    number target_ = 0;
    number sm_target_ = 0;
    unsigned sm_blocks_ = 0;
    unsigned adders_ = 0;
    unsigned first_poll_ = 0;
    bool is_root_ = false;
  };

 public:
  using participant = with_overlap<block_participant>;

  class ref_type {
    using part = block_participant;

   public:
    using participant = typename counter_participant::participant;

    ref_type(const counter_plan& plan, const l2_lines_ref& lines, const sm_roster::ref_type& roster)
        : plan_(plan), lines_(lines), roster_(roster) {}

    __device__ participant join(const watchdog_ref& watchdog) const
        requires(!Reduction::is_reduction) {
      return participant(joined(watchdog));
    }
    /// \param slot in the block's shared memory, used only by the barrier.
    __device__ participant join(const watchdog_ref& watchdog, reduction_slot& slot) const
        requires(Reduction::is_reduction) {
      part p = joined(watchdog);
      p.slot_ = &slot;
      return participant(p);
    }

   private:
    __device__ part joined(const watchdog_ref& watchdog) const {
      part p(watchdog);
      p.adders_ = plan_.sides * plan_.replicas;
      p.first_poll_ = plan_.first_poll;
      switch (plan_.how) {
        case counter_topology::flat_counters:
          join_flat_counters(p);
          break;
        case counter_topology::sm_counters:
          join_sm_counters(p);
          break;
        case counter_topology::gather_broadcast:
          join_gather_broadcast(p);
          break;
      }
      if (p.is_root_ || p.sm_ != nullptr) {
        p.role_ = part::role::passes_on;
      } else if (thread_rank() < p.adders_) {
        p.role_ = part::role::adds;
      }
      return p;
    }

    __device__ void join_flat_counters(part& p) const {
      const counter_assignment blocks(grid_blocks(), plan_.counters);
      const unsigned line = block_rank() % plan_.counters;
      add_to_copies_of(p, line);
      choose_polled(p, block_rank() / plan_.counters % plan_.replicas, blocks.used());
      p.epoch_ = Reduction::arrivals(blocks.epoch());
      p.increment_ = Reduction::arrivals(blocks.increment(block_rank()));
      if constexpr (Reduction::is_reduction) return start_from_what_is_there(p);
      // All counters advance alike, so a block can tell their epoch from its own counter, which
      // cannot be complete without the block.
      const number now = counter(*copy(0, 0, line)).load(memory_order::relaxed);
      p.target_ = (now & ~(p.epoch_ - 1)) + p.epoch_;
    }

    /// With a reduction, a counter's value does not show where an epoch begins. Contains a grid
    /// barrier.
    __device__ void start_from_what_is_there(part& p) const {
      p.round_ = Reduction::first_round(*p.watched_);
      p.target_ = counter(*p.watched_).load(memory_order::relaxed);
      const sm_place place = roster_.join(p.watchdog_);
      p.target_ += place.ok != 0 ? p.epoch_ : never;
    }

    __device__ void join_sm_counters(part& p) const {
      add_to_copies_of(p, 0);
      // On the side of the SM index, not of the caller's SM: blocks with one index share one
      // counter.
      const unsigned sm = sm_slot();
      p.sm_ = &line_of(lines_.side_of(sm), plan_.replicas + sm);
      // No block of this launch can have arrived before all have joined.
      p.sm_target_ = counter(*p.sm_).load(memory_order::relaxed);
      p.target_ = counter(*copy(0, 0, 0)).load(memory_order::relaxed);
      const sm_place place = roster_.join(p.watchdog_, sm);
      choose_polled(p, place.group % plan_.replicas, 1);
      p.sm_blocks_ = place.blocks;
      p.sm_target_ += place.blocks;
      p.epoch_ = place.groups;
      // If not all blocks joined, those that did must not pass. The wait is then for more arrivals
      // than are possible, and the watchdog, which has fired, ends it.
      p.target_ += place.ok != 0 ? p.epoch_ : never;
    }

    /// Counters are the first lines of the root's side; release lines follow, as copies of one
    /// line.
    __device__ void join_gather_broadcast(part& p) const {
      const counter_assignment others(grid_blocks() - 1, plan_.counters);
      p.is_root_ = block_rank() == root_block;
      const unsigned own_side = lines_.side();
      // As above: read before all have joined.
      const number released = counter(release_line(0, 0)).load(memory_order::relaxed);
      if constexpr (Reduction::is_reduction) p.round_ = Reduction::first_round(release_line(0, 0));
      if (p.is_root_) {
        p.poll_own_line(thread_rank() < others.used());
        p.watched_ = &line_of(own_side, thread_rank() < others.used() ? thread_rank() : 0);
        p.epoch_ = Reduction::arrivals(others.epoch());
        p.target_ = counter(*p.watched_).load(memory_order::relaxed) + p.epoch_;
        if (thread_rank() < p.adders_) {
          p.added_ = &release_line(thread_rank() / plan_.replicas, thread_rank() % plan_.replicas);
        }
      }
      const unsigned roots_side =
          find_side_of_root(lines_, plan_.counters + plan_.replicas, own_side, p.watchdog_);
      if (p.is_root_) return;
      const unsigned arrival = block_rank() - 1;
      p.adders_ = 1;
      p.added_ = &line_of(roots_side, arrival % plan_.counters);
      p.increment_ = Reduction::arrivals(others.increment(arrival));
      p.poll_own_line(is_first_of_block());
      p.watched_ = &release_line(plan_.sides == 1 ? 0 : own_side, arrival % plan_.replicas);
      p.target_ = released + Reduction::arrivals(1);
    }

    __device__ word* copy(unsigned side, unsigned replica, unsigned line) const {
      return &line_of(side, replica * plan_.counters + line);
    }
    __device__ void add_to_copies_of(part& p, unsigned line) const {
      const unsigned lane = thread_rank();
      if (lane < p.adders_) p.added_ = copy(lane / plan_.replicas, lane % plan_.replicas, line);
    }
    __device__ void choose_polled(part& p, unsigned replica, unsigned lines) const {
      const unsigned side = plan_.sides == 1 ? 0 : lines_.side();
      p.poll_own_line(thread_rank() < lines);
      p.watched_ = copy(side, replica, thread_rank() < lines ? thread_rank() : 0);
    }
    __device__ word& release_line(unsigned side, unsigned replica) const {
      return line_of(side, plan_.counters + replica);
    }
    __device__ word& line_of(unsigned side, unsigned index) const {
      return reinterpret_cast<word&>(lines_.line(side, index));
    }

    counter_plan plan_;
    l2_lines_ref lines_;
    sm_roster::ref_type roster_;
  };
};

static_assert(grid_barrier<counter_participant<counter_fences>::ref_type>);

}  // namespace finesync::inline FINESYNC_ABI
