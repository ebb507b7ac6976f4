// SPDX-License-Identifier: Apache-2.0
// Which blocks run on which SM. The roster is made at the start of each kernel, because the
// hardware places blocks in no fixed way.
//
// Participants: all threads of all blocks of a cooperative grid.
// Scope: device.
// Ordering: join() contains a grid barrier: what blocks wrote before it is visible after it.
// Traffic: per launch, one compare-exchange on the SM's word and one addition per block, and one
//   more compare-exchange per SM.
// Reset: none between launches; reset() after a kernel whose wait timed out.
#pragma once

#include "finesync/barriers/start_barrier.cuh"
#include "finesync/device/clock.cuh"
#include "finesync/device/numbering.cuh"
#include "finesync/host/buffer.cuh"

#include <cstdint>

namespace finesync::inline FINESYNC_ABI {

/// The place of the caller's block. Fits one 128-bit access.
struct alignas(16) sm_place {
  std::uint16_t ok = 1;    ///< 0: the watchdog ended the wait for the other blocks
  std::uint16_t sm = 0;    ///< SM index below sm_roster::max_sms, the same for all blocks of an SM
  std::uint16_t rank = 0;  ///< 0-based index of the block on its SM
  std::uint16_t blocks = 0;  ///< blocks on this SM
  std::uint16_t group = 0;   ///< 0-based index of the SM among SMs with blocks
  std::uint16_t groups = 0;  ///< number of SMs with blocks
};

class sm_roster {
  // The upper half of a count holds the launch number; counts of earlier launches are void.
  using tally = cell<std::uint64_t>;

  struct roster_words {
    alignas(line_bytes) tally arrived;
    alignas(line_bytes) tally groups;
    struct {
      alignas(line_bytes) tally blocks;
      cell<std::uint16_t> group;
    } sms[sm_slots];
  };

 public:
  /// SMs beyond this number would share a place, which costs time, not correctness.
  static constexpr unsigned max_sms = sm_slots;

  class ref_type {
   public:
    ref_type(roster_words* shared, cell<sm_place>* places) : shared_(shared), places_(places) {}

    /// Once per launch, by all threads of all blocks. \param sm sm_slot(), if the caller has
    /// already read it.
    __device__ sm_place join(const watchdog_ref& watchdog, unsigned sm = sm_slot()) const {
      __syncthreads();  // reads before joining are complete
      if (is_first_of_block()) places_[block_rank()] = enlist(watchdog, sm);
      __syncthreads();
      return places_[block_rank()];
    }

   private:
    using word64 = atomic_ref<std::uint64_t, scope::device>;

    __device__ sm_place enlist(const watchdog_ref& watchdog, unsigned number) const {
      sm_place mine{.sm = static_cast<std::uint16_t>(number)};
      auto& sm = shared_->sms[number];
      start_barrier gate(shared_->arrived, grid_blocks());
      const std::uint64_t launch = gate.openings() + 1;
      mine.rank = add_one(sm.blocks, launch);
      if (mine.rank == 0) sm.group = add_one(shared_->groups, launch);
      mine.ok = gate.pass(launch, watchdog) ? 1 : 0;
      mine.blocks = count(sm.blocks);
      mine.groups = count(shared_->groups);
      mine.group = sm.group;
      return mine;
    }

    /// \returns the previous count.
    __device__ static std::uint16_t add_one(tally& which, std::uint64_t launch) {
      const std::uint64_t none = launch << 32;
      std::uint64_t seen = word64(which).load(memory_order::relaxed);
      std::uint64_t before;
      do {
        before = seen >> 32 == (launch & 0xffffffff) ? seen : none;
      } while (!word64(which).compare_exchange(seen, before + 1, memory_order::relaxed));
      return static_cast<std::uint16_t>(before);
    }
    __device__ static std::uint16_t count(tally& which) {
      return static_cast<std::uint16_t>(word64(which).load(memory_order::relaxed));
    }

    roster_words* shared_;
    cell<sm_place>* places_;
  };

  /// \param blocks blocks of the grid.
  explicit sm_roster(unsigned blocks, const stream& on = {}) : state_(1, on), places_(blocks, on) {}

  void reset() { state_.reset(); }
  ref_type ref() const { return {state_.device_data(), places_.device_data()}; }

 private:
  zeroed_states<roster_words> state_;
  buffer<sm_place> places_;
};

}  // namespace finesync::inline FINESYNC_ABI
