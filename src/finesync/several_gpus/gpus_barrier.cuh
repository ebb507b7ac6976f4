// SPDX-License-Identifier: Apache-2.0
// A barrier of all blocks of several GPUs, in symmetric memory. A root block per GPU crosses the
// link for all of its GPU:
//
//|  block ──add──> counters of its GPU <──poll── root ──one fence──> adds to the release words of
//|                                                                   every GPU
//|  block ──poll──> a release word of its own GPU, until the roots of all GPUs have added
//
// A fence of system scope costs several times one of device scope, and more while others run one:
// so a GPU has one per barrier, not one per block. Only additions cross the link, and no thread
// waits for their result. Counters are on the root's side of the L2, release words on both sides
// (l2_lines.cuh), several on each, so that arrivals and polls do not queue up.
//
// Use: if (!participant.wait()) return;  // participant = ref.join(watchdog)
// Participants: all threads of a cooperative grid on each GPU, of one shape
//   (launch_together()). A block has at least as many threads as there are GPUs.
// Scope: device among the blocks of a GPU, system between GPUs.
// Ordering: block barrier; release fence of device scope and relaxed addition by each block; the
//   root's lanes poll relaxed and acquire at device scope; __syncwarp(); its lanes that add release
//   at system scope, in one fence, and add relaxed at system scope; all poll relaxed at system
//   scope and acquire at that scope; block barrier. A release word's additions are one release
//   sequence, so its last poll synchronizes with every root, and through it with every block.
// Progress: blocking; every block of every GPU must be resident at the same time.
// Traffic: per block one addition, and one load per poll, on its own GPU; per GPU and barrier one
//   fence of system scope, and sides x replicas posted additions to each GPU.
// Fairness: not applicable.
// Reset: none between barriers or launches: words only grow, all by the same power of two per
//   barrier, so they may wrap around. After a wait that timed out: reset(), with no kernel running.
#pragma once

#include "finesync/barriers/counter_barrier.cuh"
#include "finesync/barriers/counter_plan.cuh"
#include "finesync/barriers/epoch_counter.cuh"
#include "finesync/barriers/grid_barrier.cuh"
#include "finesync/barriers/side_of_root.cuh"
#include "finesync/device/await.cuh"
#include "finesync/device/l2_lines.cuh"
#include "finesync/device/numbering.cuh"
#include "finesync/device/ptx/sleep.cuh"
#include "finesync/device/warp.cuh"
#include "finesync/device/wrap_around.cuh"
#include "finesync/host/gpu.cuh"
#include "finesync/host/l2_lines.cuh"
#include "finesync/host/launch.cuh"
#include "finesync/host/line_search.cuh"
#include "finesync/host/peers.cuh"
#include "finesync/several_gpus/gpus_fences.cuh"
#include "finesync/several_gpus/gpus_grid.cuh"
#include "finesync/several_gpus/gpus_lines.cuh"
#include "finesync/several_gpus/gpus_link.cuh"
#include "finesync/several_gpus/gpus_watchdog.cuh"
#include "finesync/several_gpus/symmetric_memory.cuh"
#include "finesync/several_gpus/symmetric_view.cuh"

#include <cstdint>
#include <tuple>
#include <vector>

namespace finesync::inline FINESYNC_ABI {

template <class Fences, class Link = link_by_address<Fences>>
class gpus_participant {
  using word = cell<std::uint32_t>;
  using local = atomic_ref<std::uint32_t, scope::device>;
  static constexpr unsigned lanes = 32;

 public:
  class participant {
   public:
    __device__ bool wait() {
      __syncthreads();
      const bool passed = thread_rank() >= lanes || meet();
      return __syncthreads_or(!passed) == 0;
    }

   protected:
    __device__ participant(const symmetric_view& gpus, const watchdog_ref& watchdog)
        : link_(gpus), watchdog_(watchdog) {}
    friend class gpus_participant;

    __device__ bool meet() {
      if (!is_root_) {
        arrive();
        return poll();
      }
      if (!gather()) return false;
      release_all();
      return poll();
    }

    __device__ void arrive() {
      if (added_ != nullptr) {
        Fences::release();
        local(*added_).fetch_add(increment_, memory_order::relaxed);
      }
      pause_cycles(first_poll_);
    }

    __device__ bool gather() {
      if (gathered_ == nullptr) return true;  // there are no other blocks
      std::uint32_t seen = 0;
      const auto have_come = [&] {
        seen = local(*gathered_).load(memory_order::relaxed);
        return has_reached(seen, gathered_target_);
      };
      const bool all_have_come = await(watchdog_, awaited::blocks, have_come, [&] {
        return wait_evidence{seen, gathered_target_};
      });
      if (!warp_.all(all_have_come)) return false;
      gathered_target_ += epoch_;
      Fences::acquire();
      return true;
    }

    __device__ void release_all() {
      warp_.sync();  // passes what each lane acquired on to the lanes that add
      if (added_ == nullptr) return;
      link_.release();
      link_.add(*added_, increment_);
    }

    /// Each lane polls the same word, in one access.
    __device__ bool poll() {
      std::uint32_t seen = 0;
      const auto released = [&] {
        seen = link_.load(*watched_);
        return has_reached(seen, target_);
      };
      const awaited what = is_root_ ? awaited::gpus : awaited::blocks;
      if (!await(watchdog_, what, released, [&] { return wait_evidence{seen, target_}; }))
        return false;
      link_.acquire(*watched_);
      target_ += epoch_;
      return true;
    }

    [[no_unique_address]] Link link_;
    watchdog_ref watchdog_;
    first_warp warp_;
    bool is_root_ = false;
    word* watched_ = nullptr;  ///< release word that this block polls
    word* added_ = nullptr;    ///< word to which this lane adds, if it does; in the root the link's
    word* gathered_ = nullptr;  ///< in the root: counter that this lane polls
    std::uint32_t target_ = 0;  ///< of the release word
    std::uint32_t gathered_target_ = 0;
    std::uint32_t epoch_ = 0;      ///< what a barrier adds to each word
    std::uint32_t increment_ = 0;  ///< what this lane adds
    unsigned first_poll_ = 0;
  };

  /// The number of the line to which each of the root's lanes adds, in the memory of its GPU.
  struct release_lines {
    std::uint32_t of_lane[lanes];
  };

  class ref_type {
   public:
    using participant = typename gpus_participant::participant;

    ref_type(const counter_plan& plan, const symmetric_view& view, const l2_lines_ref& own,
             const release_lines& all)
        : plan_(plan), view_(view), own_(own), all_(all) {}

    __device__ participant join(const watchdog_ref& watchdog) const {
      participant p(view_, watchdog);
      const unsigned own_side = own_.side();
      const unsigned side = plan_.sides == 1 ? 0 : own_side;
      p.first_poll_ = plan_.first_poll;
      p.is_root_ = block_rank() == root_block;
      // Release words grow by one epoch per barrier. Other GPUs may be in their first one, but its
      // epoch ends only after this block arrives.
      const counter_assignment others(grid_blocks() - 1, plan_.counters);
      const epoch_counter gpus(view_.n < others.epoch() ? others.epoch() : view_.n);
      p.epoch_ = gpus.epoch();
      p.watched_ = &own_.line(side, plan_.counters + block_rank() % plan_.replicas);
      p.target_ = gpus.target(p.link_.load(*p.watched_));
      if (p.is_root_) join_as_root(p, own_side, others);
      const unsigned roots_side =
          find_side_of_root(own_, plan_.counters + plan_.replicas, own_side, p.watchdog_);
      if (p.is_root_) return p;
      const unsigned arrival = block_rank() - 1;
      if (is_first_of_block()) p.added_ = &own_.line(roots_side, arrival % plan_.counters);
      p.increment_ = others.increment(arrival, p.epoch_);
      return p;
    }

   private:
    __device__ void join_as_root(participant& p, unsigned own_side,
                                 const counter_assignment& others) const {
      const unsigned lane = thread_rank();
      if (grid_blocks() > 1) {
        // Counters of the other side stand still, so they have a target of their own. No block has
        // arrived, as the root has not joined.
        p.gathered_ = &own_.line(own_side, lane < others.used() ? lane : 0);
        p.gathered_target_ = local(*p.gathered_).load(memory_order::relaxed) + p.epoch_;
      }
      p.increment_ = view_.me == 0 ? p.epoch_ - (view_.n - 1) : 1;
      const unsigned copies = plan_.sides * plan_.replicas;
      if (lane < copies * view_.n)
        p.added_ = p.link_.find(view_, lane / copies, std::size_t{all_.of_lane[lane]} * line_bytes);
    }

    counter_plan plan_;
    symmetric_view view_;
    l2_lines_ref own_;
    release_lines all_;
  };
};

/// The owner, in the process that has all GPUs or in each that has one. \tparam Fences so that
/// tests can weaken one. \tparam Link how a root adds to words of other GPUs (gpus_link.cuh).
template <class Fences, class Link = link_by_address<Fences>>
class basic_gpus_barrier {
  using participants = gpus_participant<Fences, Link>;
  using release_lines = typename participants::release_lines;

 public:
  using ref_type = typename participants::ref_type;

  /// For grids of this shape on each peer, with the plan measured best for as many blocks per SM.
  /// On GPUs it takes some tenths of a second, as it searches for good lines, and for the time of
  /// the first poll. It does not outlive the peers. \throws launch_error if the grids cannot be
  /// resident, std::invalid_argument if a block has fewer threads than there are GPUs.
  basic_gpus_barrier(const peers& all, const launch_shape& shape)
      : basic_gpus_barrier(all, shape, gpus_plan(blocks_per_sm(all, shape)),
                           /*vary_first_poll=*/true) {}

  /// \param plan one's own: counters, replicas, sides and first poll of counter_barrier.cuh.
  basic_gpus_barrier(const peers& all, const launch_shape& shape, const counter_plan& plan)
      : basic_gpus_barrier(all, shape, plan, /*vary_first_poll=*/false) {}

  /// \param me of this process.
  ref_type ref(unsigned me) const {
    return {plan_, memory_.view(me), lines_.ref(me - all_->first()), release_lines_};
  }

  void reset() { memory_.reset(); }

  /// The plan in effect, limited to the lanes of a block.
  const counter_plan& plan() const { return plan_; }

 private:
  basic_gpus_barrier(const peers& all, const launch_shape& shape, const counter_plan& plan,
                     bool vary_first_poll)
      : all_(&all),
        plan_(plan.cut_to(checked_for(all, shape).threads_per_block, all.size())),
        memory_(all, l2_lines::words_for(lines_per_side()), Link::reach),
        lines_(all, lines_per_side(), memory_) {
    all.synchronize();
    send_release_lines();
    search(shape, vary_first_poll);
  }

  /// Counters, release words, and a line for joining.
  unsigned lines_per_side() const { return plan_.counters + plan_.replicas + 1; }

  void search(const launch_shape& shape, bool vary_first_poll) {
    {
      const device_guard here(all_->streams()[0].device());
      if (current_gpu().simulated) return;  // its cycles mean nothing
    }
    std::vector<buffer<std::uint64_t>> cycles;
    for (const stream& each : all_->streams()) cycles.emplace_back(1, each);
    gpus_watchdog timeout(*all_);
    use(fastest_lines(lines_, plan_.first_poll, vary_first_poll,
                      [&](const line_choice<gpus_lines>& choice, unsigned barriers) {
                        use(choice);
                        return try_out(shape, barriers, cycles, timeout);
                      }));
  }

  void use(const line_choice<gpus_lines>& choice) {
    lines_.use(choice.lines);
    plan_.first_poll = choice.first_poll;
    send_release_lines();
    reset();
  }

  /// Each GPU's roots need to know the release words that all GPUs have chosen.
  void send_release_lines() {
    const unsigned copies = plan_.sides * plan_.replicas;
    std::vector<release_lines> own;
    for (const l2_lines& each : lines_) {
      release_lines& chosen = own.emplace_back();
      for (unsigned copy = 0; copy < copies; ++copy)
        chosen.of_lane[copy] =
            each.chosen(copy / plan_.replicas, plan_.counters + copy % plan_.replicas);
    }
    const std::vector<release_lines> of_all = all_->gather(own);
    for (unsigned lane = 0; lane < copies * all_->size(); ++lane)
      release_lines_.of_lane[lane] = of_all[lane / copies].of_lane[lane % copies];
  }

  /// \returns the time of `barriers` barriers on GPU 0 in SM cycles. If the watchdog ended them,
  /// the maximum value, and both are reset. \param cycles a word on each GPU, overwritten.
  std::uint64_t try_out(const launch_shape& shape, unsigned barriers,
                        std::vector<buffer<std::uint64_t>>& cycles, gpus_watchdog& timeout) {
    launch_together(*all_, detail::time_barriers<ref_type>, shape, [&](unsigned me) {
      return std::tuple(ref(me), barriers, cycles[me - all_->first()].device_data(),
                        timeout.ref(me));
    });
    if (timeout.fired()) {
      timeout.reset();
      reset();
      return ~std::uint64_t{0};
    }
    std::vector<std::uint64_t> own;
    for (const auto& each : cycles) own.push_back(each.to_host()[0]);
    return all_->gather(own)[0];
  }

  const peers* all_;
  counter_plan plan_;
  symmetric_memory memory_;
  gpus_lines lines_;
  release_lines release_lines_ = {};  ///< of all GPUs
};

using gpus_barrier = basic_gpus_barrier<gpus_fences>;

static_assert(grid_barrier<gpus_barrier::ref_type>);

}  // namespace finesync::inline FINESYNC_ABI
