// SPDX-License-Identifier: Apache-2.0
// A lock of several GPUs that stays on a GPU for a while: its threads pass the lock on among
// themselves, through a queue in the GPU's own memory. After a number of passes it goes to the next
// GPU, through a queue of GPUs (grant_board.cuh). A pass within a GPU needs no access across the
// link and no fence of system scope. gpus_cohort_lock is for plain data;
// gpus_cohort_value_passing_lock carries the protected word in the grants, and needs no fence.
//
//|  thread ──adds 1──> the tail of its GPU: its ticket there
//|  holder ──"your section is the k-th"──> the slot of the GPU's next ticket
//|  or, after the last pass, or without a thread that waits there:
//|  holder ──grants the next GPU's ticket──> the boards of all GPUs
//|         └─"fetch the lock"──> the slot of its GPU's next ticket
//|  thread that is to fetch ──draws──> a ticket of its GPU, polls the board of its GPU
//
// The thread that fetches draws the ticket while other GPUs have the lock, so that no holder waits
// for that round trip.
//
// Use: gpus_lock<gpus_cohort_lock> lock(all, 64u); on the host (gpus_lock.cuh), with the most
//   sections of a GPU in a row, and lock.ref(me) to the kernel of GPU `me`; there
//   run_exclusive(lock, section, watchdog)
// Participants: threads of all GPUs; any number: beyond 8192 waiters of a GPU, every 8192nd shares
//   a line.
// Scope: system.
// Ordering: gpus_cohort_lock: by fences, of device scope for a pass within the GPU and of system
//   scope from GPU to GPU. Causality order is transitive whatever the scopes of its steps, so a
//   holder sees what earlier ones did on any GPU. gpus_cohort_value_passing_lock: the word only, as
//   gpus_value_passing_lock. Beyond PTX, as value_passing_lock: two stores to one slot of a GPU, a
//   lap apart and by different threads, are ordered only through relaxed accesses; the thread of
//   the first has seen it long before the second.
// Progress: FIFO within a GPU and FIFO among the GPUs that wait, so starvation-free; unfair for at
//   most the number of sections of a run.
// Residency: of all waiters.
// Traffic: per acquisition a fetch-add, a store and two loads on its own GPU, and a load per poll;
//   per run of a GPU a fetch-add on the first GPU and a posted maximum on each. Waiters do not
//   sleep.
// Reset: gpus_lock::reset(); the word is then zero, unless set() changes it.
#pragma once

#include "finesync/device/atomic_ref.cuh"
#include "finesync/device/polling.cuh"
#include "finesync/device/ptx/message_128.cuh"
#include "finesync/locks/exclusive_lock.cuh"
#include "finesync/several_gpus/grant_board.cuh"
#include "finesync/several_gpus/handed_over.cuh"
#include "finesync/several_gpus/symmetric_view.cuh"

#include <cstdint>
#include <stdexcept>

namespace finesync::inline FINESYNC_ABI {

/// \tparam Data what is handed over (handed_over.cuh). \tparam Slots of a GPU's queue.
template <class Data, unsigned Slots = 8192, class Board = grant_board<1024>>
class basic_gpus_cohort_lock {
  static_assert((Slots & (Slots - 1)) == 0, "tickets of a GPU wrap around at 2^32");

  struct alignas(line_bytes) slot {
    cell<message_128> granted;  ///< to the last ticket, see grant()
  };

 public:
  static constexpr unsigned slots = Slots;
  static constexpr unsigned most_sections = 255;

  struct state {
    typename Board::state gpus;
    alignas(line_bytes) cell<std::uint32_t> tail;  ///< tickets drawn on this GPU
    slot slots[Slots];
  };
  struct acquisition : Data::held {
    std::uint32_t ticket = 0;      ///< on its GPU
    std::uint32_t section = 0;     ///< number of the section in the GPU's run, from 1
    std::uint64_t gpu_ticket = 0;  ///< its GPU's
    bool fetches = false;          ///< has drawn that ticket, and waits for its turn
    bool has_heir = false;         ///< a later thread of the GPU has a ticket
  };

  /// \param gpus memory whose pieces begin with a state. \param sections of a GPU in a row, while
  /// others wait. \throws std::invalid_argument unless they are from 1 to most_sections.
  explicit basic_gpus_cohort_lock(const symmetric_view& gpus, unsigned sections = 64)
      : board_(gpus), own_(reinterpret_cast<state*>(gpus.base[gpus.me])), sections_(sections) {
    if (sections == 0 || sections > most_sections)
      throw std::invalid_argument("a GPU has 1 to 255 sections of a lock in a row");
  }

  __device__ acquisition enqueue() {
    acquisition r;
    r.ticket = tail().fetch_add(1, memory_order::relaxed);
    return r;
  }
  __device__ bool try_enter(acquisition& r) {
    return attempt(r, [](auto poll) { return poll(); });
  }
  __device__ bool try_enter_burst(acquisition& r) {
    return attempt(r, [](auto poll) { return poll_briefly(poll); });
  }
  __device__ void wait(acquisition&) {}
  __device__ void leave(acquisition& r) {
    look_for_heir(r);
    if (r.has_heir && r.section < sections_) {
      grant(r.ticket + 1, r.section + 1, r.gpu_ticket, Data::leave_on_gpu(r));
    } else {
      board_.grant(r.gpu_ticket + 1, Data::leave_to_all(r));
      grant(r.ticket + 1, fetch, 0, 0);
    }
  }

  /// Of a GPU in a row.
  unsigned sections() const { return sections_; }

  /// The word of a lock that no thread uses: before and after its kernels.
  __device__ std::uint32_t get() const requires(Data::carries) { return board_.data(); }
  __device__ void set(std::uint32_t word) const requires(Data::carries) { board_.set_data(word); }

 private:
  /// In place of a section's number: the thread is to fetch the lock. Zeroed memory tells so the
  /// first thread of each GPU.
  static constexpr std::uint32_t fetch = 0;

  __device__ atomic_ref<std::uint32_t, scope::device> tail() const {
    return atomic_ref<std::uint32_t, scope::device>(own_->tail);
  }
  __device__ void look_for_heir(acquisition& r) const {
    if (!r.has_heir) r.has_heir = tail().load(memory_order::relaxed) != r.ticket + 1;
  }

  /// \param polls calls a poll, once or several times, until it returns true.
  template <class Polls>
  __device__ bool attempt(acquisition& r, Polls polls) {
    look_for_heir(r);  // now, so that its holder need not wait for it
    if (!r.fetches) {
      message_128 found{};
      if (!polls([&] {
            found = begin_load_message(own_->slots[r.ticket % Slots].granted);
            return static_cast<std::uint32_t>(found.low >> 32) == r.ticket;
          }))
        return false;
      keep_128_bits(found);
      r.section = found.high % 256;
      r.gpu_ticket = found.high / 256;
      if (r.section != fetch) {
        Data::enter_on_gpu(r, static_cast<std::uint32_t>(found.low));
        return true;
      }
      r.gpu_ticket = board_.draw();
      r.fetches = true;
    }
    std::uint64_t seen = 0;
    if (!polls([&] {
          seen = board_.look(r.gpu_ticket);
          return Board::is_grant_of(r.gpu_ticket, seen);
        }))
      return false;
    r.section = 1;
    Data::enter_from_all(r, Board::data_of(seen));
    return true;
  }

  /// To a thread of its own GPU, in one access: 32 bits of its ticket, 32 of the word, 56 of the
  /// GPU's ticket, 8 of the section's number.
  __device__ void grant(std::uint32_t ticket, std::uint32_t section, std::uint64_t gpu_ticket,
                        std::uint32_t word) const {
    store_message(own_->slots[ticket % Slots].granted,
                  {std::uint64_t{ticket} << 32 | word, gpu_ticket << 8 | section});
  }

  Board board_;
  state* own_;
  unsigned sections_;
};

using gpus_cohort_lock = basic_gpus_cohort_lock<fenced_data<>>;
using gpus_cohort_value_passing_lock = basic_gpus_cohort_lock<carried_word>;

static_assert(exclusive_lock<gpus_cohort_lock> && !passes_value<gpus_cohort_lock>);
static_assert(passes_value<gpus_cohort_value_passing_lock>);

}  // namespace finesync::inline FINESYNC_ABI
