// SPDX-License-Identifier: Apache-2.0
// A queue of all GPUs: tickets from one counter, and a board on each GPU that shows whose turn it
// is. A waiter polls the board of its own GPU.
//
//|  waiter ──adds 1──> the tail, on the first GPU: its ticket
//|  holder ──raises──> the slot of the next ticket, on the boards of all GPUs
//|  waiter ──polls──> that slot, on the board of its own GPU
//
// A grant is one word of 64 bits, which also carries 32 bits of data: who sees its turn has them.
//
// A grant raises its slot to a maximum (red.max); it does not store. A slot has one ticket per lap,
// and on most GPUs no thread waits for that ticket there. So nothing orders the writes of two laps
// to one slot: they are by different threads, and the thread that waited saw another GPU's copy. Of
// two stores the first might be performed last, and hide the grant of the second for ever. Maxima
// give the same result in any order. (PTX: they are morally strong, so the slot's coherence order
// has them all, and each begins with the value before it. Values then only grow; a grant that comes
// late changes nothing, and a thread that reads it observes the newer one, with its release.)
//
// Participants: threads of all GPUs; any number: beyond Slots waiters, every Slots-th shares a
//   slot, which costs polls, not correctness.
// Scope: system.
// Ordering: none beyond the grant and its data; all accesses are relaxed. Put fences around them.
// Progress: FIFO.
// Traffic: a fetch-add on the first GPU per ticket; a posted maximum on each GPU per grant; one
//   load per poll, on its own GPU.
// Reset: zero all pieces: ticket 0 has its turn, and the data are 0. A board lasts for 2^32 laps:
//   at half a microsecond per grant, those of 8192 slots take half a year.
#pragma once

#include "finesync/device/atomic_ref.cuh"
#include "finesync/device/cell.cuh"
#include "finesync/device/memory_model.cuh"
#include "finesync/device/ptx/computed_here.cuh"
#include "finesync/device/ptx/system_word.cuh"
#include "finesync/several_gpus/symmetric_view.cuh"

#include <cstdint>

namespace finesync::inline FINESYNC_ABI {

/// How a grant gets into a slot, as a policy, so that tests can weaken it.
struct raised_grant {
  __device__ static void put(cell<std::uint64_t>& slot, std::uint64_t grant) {
    raise_system_word(slot, grant);
  }
};

template <unsigned Slots, class Put = raised_grant>
class grant_board {
  struct alignas(line_bytes) line {
    cell<std::uint64_t> grant;  ///< of the last lap, with its data
  };

 public:
  static constexpr unsigned slots = Slots;

  /// The part on each GPU.
  struct state {
    alignas(line_bytes) cell<std::uint64_t> tail;  ///< tickets drawn; that of the first GPU counts
    line slots[Slots];
  };

  /// \param gpus memory whose pieces begin with a state.
  explicit grant_board(const symmetric_view& gpus)
      : gpus_(gpus), own_(reinterpret_cast<state*>(gpus.base[gpus.me])) {}

  __device__ std::uint64_t draw() const { return add_to_system_word(on(0).tail, 1); }

  /// What the ticket's slot shows at the moment.
  __device__ std::uint64_t look(std::uint64_t ticket) const {
    return word(own_->slots[ticket % Slots].grant).load(memory_order::relaxed);
  }
  /// Whether this, which look() returned, is the ticket's grant. Until the ticket's holder grants
  /// the next, no later grant gets into the slot.
  __device__ static bool is_grant_of(std::uint64_t ticket, std::uint64_t seen) {
    return static_cast<std::uint32_t>(seen >> 32) == lap_of(ticket);
  }
  __device__ static std::uint32_t data_of(std::uint64_t seen) {
    return static_cast<std::uint32_t>(seen);
  }

  /// By the holder of the ticket before this one.
  __device__ void grant(std::uint64_t ticket, std::uint32_t data) const {
    // A waiter keeps this number in a register, not the slot's address on each GPU.
    const std::uint32_t slot = computed_here(static_cast<std::uint32_t>(ticket % Slots));
    for (unsigned gpu = 0; gpu < symmetric_view::most; ++gpu) {  // unrolled: no pointers in memory
      if (gpu >= gpus_.n) break;
      Put::put(on(gpu).slots[slot].grant, with_lap(ticket, data));
    }
  }

  /// The data that the last holder left, or that the next will find: while no thread waits.
  __device__ std::uint32_t data() const { return data_of(look(drawn())); }
  __device__ void set_data(std::uint32_t data) const {
    const std::uint64_t next = drawn();
    for (unsigned gpu = 0; gpu < gpus_.n; ++gpu)
      word(on(gpu).slots[next % Slots].grant).store(with_lap(next, data), memory_order::relaxed);
  }

 private:
  using word = atomic_ref<std::uint64_t, scope::system>;

  __device__ state& on(unsigned gpu) const { return *reinterpret_cast<state*>(gpus_.base[gpu]); }
  __device__ std::uint64_t drawn() const { return word(on(0).tail).load(memory_order::relaxed); }

  /// Zeroed slots grant ticket 0, and no other slot grants its first ticket.
  __device__ static std::uint32_t lap_of(std::uint64_t ticket) {
    return static_cast<std::uint32_t>((ticket + Slots - 1) / Slots);
  }
  __device__ static std::uint64_t with_lap(std::uint64_t ticket, std::uint32_t data) {
    return std::uint64_t{lap_of(ticket)} << 32 | data;
  }

  static_assert(Slots != 0 && (Slots & (Slots - 1)) == 0, "a slot's number is bits of its ticket");

  symmetric_view gpus_;
  state* own_;
};

}  // namespace finesync::inline FINESYNC_ABI
