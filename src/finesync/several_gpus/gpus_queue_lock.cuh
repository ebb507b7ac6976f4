// SPDX-License-Identifier: Apache-2.0
// A lock of several GPUs in one queue of all their threads (grant_board.cuh): gpus_array_lock, for
// plain data, and gpus_value_passing_lock, which carries the protected word in the grant. The
// latter's hand-off has no fence, and one between GPUs takes about the time of a store to another
// GPU. A fence of system scope alone takes twice that on an H100.
//
// Use: gpus_lock<gpus_value_passing_lock> lock(all); on the host (gpus_lock.cuh), and lock.ref(me)
//   to the kernel of GPU `me`; there run_exclusive(lock, section, watchdog)
// Participants: threads of all GPUs; any number: beyond 8192 waiters, every 8192nd shares a slot.
// Scope: system.
// Ordering: gpus_array_lock: one acquire fence of system scope after the poll that finds the turn,
//   one release fence of system scope before the grant to the next. gpus_value_passing_lock: the
//   word only. acquisition::value is what the previous holder left. Its other writes are not
//   guaranteed to be visible. A section is a function of the word (32 bits).
// Progress: FIFO among all threads of all GPUs, so starvation-free; every waiter must stay able to
//   run (independent thread scheduling, Volta or later, if lanes of one warp compete).
// Residency: of all waiters.
// Traffic: that of the board: a fetch-add on the first GPU and a posted maximum on each per
//   acquisition, one load per poll on its own GPU. Waiters do not sleep.
// Reset: gpus_lock::reset(); the word is then zero, unless set() changes it.
#pragma once

#include "finesync/device/polling.cuh"
#include "finesync/locks/exclusive_lock.cuh"
#include "finesync/several_gpus/grant_board.cuh"
#include "finesync/several_gpus/handed_over.cuh"
#include "finesync/several_gpus/symmetric_view.cuh"

#include <cstdint>

namespace finesync::inline FINESYNC_ABI {

/// \tparam Data what is handed over (handed_over.cuh).
template <class Data, class Board = grant_board<8192>>
class gpus_queue_lock {
 public:
  static constexpr unsigned slots = Board::slots;

  using state = typename Board::state;
  struct acquisition : Data::held {
    std::uint64_t ticket = 0;
  };

  /// \param gpus memory whose pieces begin with a state.
  explicit gpus_queue_lock(const symmetric_view& gpus) : board_(gpus) {}

  __device__ acquisition enqueue() { return {{}, board_.draw()}; }
  __device__ bool try_enter(acquisition& r) {
    std::uint64_t seen = 0;
    return is_granted(r, seen) && complete_entry(r, seen);
  }
  __device__ bool try_enter_burst(acquisition& r) {
    std::uint64_t seen = 0;
    return poll_briefly([&] { return is_granted(r, seen); }) && complete_entry(r, seen);
  }
  __device__ void wait(acquisition&) {}
  __device__ void leave(acquisition& r) { board_.grant(r.ticket + 1, Data::leave_to_all(r)); }

  /// The word of a lock that no thread uses: before and after its kernels.
  __device__ std::uint32_t get() const requires(Data::carries) { return board_.data(); }
  __device__ void set(std::uint32_t word) const requires(Data::carries) { board_.set_data(word); }

 private:
  __device__ bool is_granted(const acquisition& r, std::uint64_t& seen) const {
    seen = board_.look(r.ticket);
    return Board::is_grant_of(r.ticket, seen);
  }
  __device__ bool complete_entry(acquisition& r, std::uint64_t seen) {
    Data::enter_from_all(r, Board::data_of(seen));
    return true;
  }

  Board board_;
};

using gpus_array_lock = gpus_queue_lock<fenced_data<>>;
using gpus_value_passing_lock = gpus_queue_lock<carried_word>;

static_assert(exclusive_lock<gpus_array_lock> && !passes_value<gpus_array_lock>);
static_assert(passes_value<gpus_value_passing_lock>);

}  // namespace finesync::inline FINESYNC_ABI
