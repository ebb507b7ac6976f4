// Ticket semaphore: permits are handed out in the order of arrival, as positions on a tape.
//
// Whoever arrives takes the next n positions, and may enter once they are free: with r permits
// given back so far, the positions below r + S are. So who gives back the permits r to r + n - 1
// frees the positions r + S to r + S + n - 1, and says so where their holders poll: on the line of
// a ring that each position has, as the number of permits given back by now.
//
// Participants: threads; fewer than 2^32 permits asked for at a time.
// Scope: device.
// Ordering: acquire fence once the own last position is free, release fence before leaving. A
//   reader's exit also acquires between counting itself and freeing a position, so that who is let
//   in, a writer above all, comes after all the exits that the count stands for.
// Progress: FIFO, so starvation-free: nobody who arrived later has free positions earlier. An exit
//   is wait-free, and nothing is ever retried.
// Residency: of all waiters.
// Fairness: order of arrival.
// Traffic: one fetch-add to arrive, one load per poll; to leave, a reader adds once and raises one
//   line, who holds all permits stores to one or raises two. Lines are polled by the holders of
//   neighbouring positions: by one waiter each for S = 1. Those more than the ring away sleep.
// Reset: reset(), or zero the state. Positions count in 64 bits and never wrap.
#pragma once

#include "finesync/device/atomic_ref.cuh"
#include "finesync/device/backoff.cuh"
#include "finesync/device/fence.cuh"
#include "finesync/device/polling.cuh"
#include "finesync/host/buffer.cuh"
#include "finesync/semaphores/permits.cuh"

#include <bit>
#include <cstdint>

namespace finesync {
inline namespace FINESYNC_ABI {

/// The kernel's side; trivially copyable, passed by value.
template <class Backoff, unsigned Lines>
class ticket_semaphore_ref {
  static_assert(Lines >= 4 && std::has_single_bit(Lines));

  struct alignas(line_bytes) line {
    cell<std::uint64_t> returned;  ///< permits given back, as last said on this line
  };

 public:
  struct state {
    alignas(line_bytes) cell<std::uint64_t> next;        ///< positions taken so far
    alignas(line_bytes) cell<std::uint64_t> given_back;  ///< permits, by those who left
    line lines[Lines];
  };
  struct acquisition {
    Backoff backoff;
    std::uint32_t permits = 0;
    std::uint32_t ahead = 0;   ///< permits still to be given back, when last polled
    std::uint64_t end = 0;     ///< one behind the own last position
    std::uint64_t needed = 0;  ///< permits given back that make the own positions free
  };

  /// A line has as many positions as a writer, or up to twice as many.
  ticket_semaphore_ref(state* s, unsigned size)
      : state_(s), size_(size), line_shift_(static_cast<unsigned>(std::bit_width(size - 1))) {}

  __device__ acquisition enqueue(unsigned permits) const {
    require_permits(permits, size_);
    const std::uint64_t first = word(state_->next).fetch_add(permits, memory_order::relaxed);
    const std::uint64_t end = first + permits;
    return {.backoff = {},
            .permits = permits,
            .ahead = 0,
            .end = end,
            .needed = end > size_ ? end - size_ : 0};
  }

  __device__ bool try_enter(acquisition& r) const { return is_free(r) && complete_entry(r); }
  __device__ bool try_enter_burst(acquisition& r) const {
    if (!is_free(r)) {
      if (is_far(r)) return false;
      const word mine(line_of(r.end - 1));
      if (!poll_briefly([&] { return mine.load(memory_order::relaxed) >= r.needed; })) return false;
    }
    return complete_entry(r);
  }

  /// A line tells the distance only to within the ring; near the front everybody polls. Every S
  /// positions take at least one hand-off, so that is the unit of the distance.
  __device__ void wait(acquisition& r) const {
    if (is_far(r)) r.backoff.wait(1 + (r.ahead - 1 - static_cast<std::uint32_t>(ring())) / size_);
  }

  __device__ bool leave(acquisition& r) const {
    if (r.permits == size_) {
      leave_alone(r);
      return true;
    }
    fence<memory_order::release, scope::device>();
    const std::uint64_t before =
        word(state_->given_back).fetch_add(r.permits, memory_order::relaxed);
    fence<memory_order::acq_rel, scope::device>();
    say(before, before + r.permits);
    return true;
  }

 private:
  using word = atomic_ref<std::uint64_t, scope::device>;

  /// Positions.
  __device__ std::uint64_t ring() const { return std::uint64_t{Lines} << line_shift_; }

  __device__ bool is_far(const acquisition& r) const { return r.ahead > ring(); }

  __device__ bool is_free(acquisition& r) const {
    const std::uint64_t returned = word(line_of(r.end - 1)).load(memory_order::relaxed);
    if (returned >= r.needed) return true;
    r.ahead = static_cast<std::uint32_t>(r.needed - returned);
    return false;
  }

  __device__ bool complete_entry(const acquisition& r) const {
    fence<memory_order::acquire, scope::device>();  // once, rather than at every poll
    // Alone, so all before have left, and nobody adds until this leaves. Said here, where it does
    // not delay the next in line.
    if (r.permits == size_ && size_ > 1)
      word(state_->given_back).store(r.end, memory_order::relaxed);
    return true;
  }

  __device__ cell<std::uint64_t>& line_of(std::uint64_t position) const {
    return state_->lines[(position >> line_shift_) % Lines].returned;
  }
  __device__ bool share_line(std::uint64_t a, std::uint64_t b) const {
    return (a ^ b) >> line_shift_ == 0;
  }

  /// Finds out where to say it before the fence, as the next in line waits for what is behind it.
  __device__ void leave_alone(const acquisition& r) const {
    const std::uint64_t last = r.end + size_ - 1;
    const word first_line(line_of(r.end));
    if (share_line(r.end, last)) {
      fence<memory_order::release, scope::device>();
      // All that is said there later comes from somebody who was let in by this.
      first_line.store(r.end, memory_order::relaxed);
    } else {
      fence<memory_order::release, scope::device>();
      word(line_of(last)).fetch_max(r.end, memory_order::relaxed);
      first_line.fetch_max(r.end, memory_order::relaxed);
    }
  }

  /// Says to those for whom the permits [before, returned) make room that so many are given back.
  /// They are no more than S positions, so on two lines at most. The maximum, as those who left
  /// later may have said so earlier.
  __device__ void say(std::uint64_t before, std::uint64_t returned) const {
    const std::uint64_t last = returned + size_ - 1;
    word(line_of(last)).fetch_max(returned, memory_order::relaxed);
    if (!share_line(before + size_, last))
      word(line_of(before + size_)).fetch_max(returned, memory_order::relaxed);
  }

  state* state_;
  std::uint32_t size_;
  std::uint32_t line_shift_;
};

/// Owns the tape. Of `Lines` waiters with a turn each, the next ones, every one polls; 32 is ample
/// for hand-offs that take less than a microsecond.
template <class Backoff = proportional_backoff<300, 65536>, unsigned Lines = 32>
class ticket_semaphore {
 public:
  using backoff_policy = Backoff;
  static constexpr unsigned lines = Lines;

  /// \throws std::invalid_argument unless the size is 1 to 2^31, std::bad_alloc when device memory
  /// is used up.
  explicit ticket_semaphore(unsigned size, const stream& on = {})
      : size_(checked_size(size)), state_(1, on) {}

  void reset() { state_.reset(); }

  ticket_semaphore_ref<Backoff, Lines> ref() const { return {state_.device_data(), size_}; }

 private:
  using state = typename ticket_semaphore_ref<Backoff, Lines>::state;

  unsigned size_;
  zeroed_states<state> state_;
};

}  // namespace FINESYNC_ABI
}  // namespace finesync
