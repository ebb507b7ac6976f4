// Ticketed semaphore: permits are handed out in the order of arrival, as positions on a tape.
//
// Whoever arrives takes the next n positions, and may enter once they are free: with r permits
// given back so far, the positions below S + r are. So who gives back the permits r to r + n - 1
// frees the positions S + r to S + r + n - 1, and says so where their holders look: on the line of
// a ring that each position has, as the number of positions free by now.
//
// Participants: threads; fewer than 2^32 permits asked for at a time.     Scope: device.
// Ordering: acquire fence once the own last position is free, release fence before leaving. A
//   reader's exit also acquires between counting itself and freeing a position, so that who is let
//   in, a writer above all, comes after all the exits that the count stands for.
// Progress: FIFO, so starvation-free: nobody who arrived later has free positions earlier. An exit
//   is wait-free, and nothing is ever retried.     Residency: of all waiters.
// Fairness: order of arrival.
// Traffic: one fetch-add to arrive, one load per poll; to leave, a reader adds once and raises one
//   line, who holds all permits stores to one or raises two. Lines are polled by the holders of
//   neighbouring positions: by one waiter each for S = 1. Those more than the ring away sleep.
// Reset: reset(), or zero the state. Positions count in 64 bits and never wrap.
#pragma once

#include "finesync/device/atomic_ref.cuh"
#include "finesync/device/backoff.cuh"
#include "finesync/device/buffer.cuh"
#include "finesync/device/fence.cuh"

#include <bit>
#include <cstdint>

namespace finesync {

/// The kernel's side; trivially copyable, passed by value.
template <class Backoff, unsigned Lines>
class ticketed_semaphore_ref {
  static_assert(Lines >= 4 && std::has_single_bit(Lines));

  struct alignas(line_bytes) line {
    cell<std::uint64_t> free;  ///< positions below it are free; as last said on this line
  };

 public:
  struct state {
    alignas(line_bytes) cell<std::uint64_t> next;        ///< positions taken so far
    alignas(line_bytes) cell<std::uint64_t> given_back;  ///< permits, by those who left
    line lines[Lines];
  };
  struct request {
    Backoff backoff;
    std::uint32_t permits = 0;
    std::uint32_t ahead = 0;  ///< positions between what the line says and the own last one
    std::uint64_t end = 0;    ///< one behind the own last position
  };

  /// A line has as many positions as a writer, or up to twice as many.
  ticketed_semaphore_ref(state* s, unsigned size)
      : state_(s), size_(size), line_shift_(static_cast<unsigned>(std::bit_width(size - 1))) {}

  __device__ request arrive(unsigned permits) const {
    const std::uint64_t first = word(state_->next).fetch_add(permits, memory_order::relaxed);
    return {.backoff = {}, .permits = permits, .ahead = 0, .end = first + permits};
  }

  __device__ bool enter(request& r) const {
    if (r.end > size_) {
      const word mine = line_of(r.end - 1);
      std::uint64_t free = mine.load(memory_order::relaxed);
      for (unsigned look = 1; free < r.end && r.end - free <= ring() && look < looks; ++look)
        free = mine.load(memory_order::relaxed);
      if (free < r.end) {
        r.ahead = static_cast<std::uint32_t>(r.end - free);
        return false;
      }
    }
    fence<memory_order::acquire, scope::device>();  // once, rather than at every poll
    // Alone, so all before have left, and nobody adds until this leaves. Said here, where it does
    // not delay the next in line.
    if (r.permits == size_ && size_ > 1)
      word(state_->given_back).store(r.end, memory_order::relaxed);
    return true;
  }

  /// A line tells the distance only to within the ring; near the front everybody polls. Every S
  /// positions take at least one hand-off, so that is the unit of the distance.
  __device__ void wait(request& r) const {
    if (r.ahead > ring())
      r.backoff.wait(1 + (r.ahead - 1 - static_cast<std::uint32_t>(ring())) / size_);
  }

  __device__ bool leave(request& r) const {
    fence<memory_order::release, scope::device>();
    if (r.permits == size_) {
      free_alone(r.end, r.end + size_);
      return true;
    }
    const std::uint64_t before =
        word(state_->given_back).fetch_add(r.permits, memory_order::relaxed);
    fence<memory_order::acq_rel, scope::device>();
    free(before + size_, before + size_ + r.permits);
    return true;
  }

 private:
  using word = atomic_ref<std::uint64_t, scope::device>;

  /// Per enter() of those who do not sleep. In a loop of their own, as what the caller does between
  /// two calls would delay the next in line (50 ns on an H200).
  static constexpr unsigned looks = 64;

  /// Positions.
  __device__ std::uint64_t ring() const { return std::uint64_t{Lines} << line_shift_; }

  __device__ word line_of(std::uint64_t position) const {
    return word(state_->lines[(position >> line_shift_) % Lines].free);
  }

  /// Says that the positions [begin, end) are free, and with them all before. They are no more than
  /// S, so on two lines at most. The maximum, as those who left later may have said so earlier.
  __device__ void free(std::uint64_t begin, std::uint64_t end) const {
    line_of(end - 1).fetch_max(end, memory_order::relaxed);
    if ((begin ^ (end - 1)) >> line_shift_ != 0)
      line_of(begin).fetch_max(end, memory_order::relaxed);
  }

  /// The same by who was alone inside. On a single line a store will do: all that is said there
  /// later comes from somebody who was let in by it.
  __device__ void free_alone(std::uint64_t begin, std::uint64_t end) const {
    if ((begin ^ (end - 1)) >> line_shift_ == 0) {
      line_of(begin).store(end, memory_order::relaxed);
    } else {
      free(begin, end);
    }
  }

  state* state_;
  std::uint32_t size_;
  std::uint32_t line_shift_;
};

/// Owns the tape. Of `Lines` waiters with a turn each, the next ones, every one polls; 32 is ample
/// for hand-offs that take less than a microsecond.
template <class Backoff = proportional_backoff<300, 65536>, unsigned Lines = 32>
class ticketed_semaphore {
 public:
  explicit ticketed_semaphore(unsigned size) : bytes_(sizeof(state)), size_(size) { reset(); }

  void reset() { bytes_.fill_bytes(0); }

  ticketed_semaphore_ref<Backoff, Lines> ref() const {
    return {reinterpret_cast<state*>(bytes_.template as<unsigned char>()), size_};
  }

 private:
  using state = typename ticketed_semaphore_ref<Backoff, Lines>::state;

  buffer<unsigned char> bytes_;
  unsigned size_;
};

}  // namespace finesync
