// SPDX-License-Identifier: Apache-2.0
// Ticket semaphore: permits are granted in order of arrival, as consecutive positions.
//
// An arriving thread takes the next n positions and may enter once they are free. With r permits
// released so far, the positions below r + S are free. A thread that releases the permits r to r +
// n - 1 thus frees the positions r + S to r + S + n - 1. It publishes the number of released
// permits on the ring lines of these positions, where their holders poll.
//
// Use: run_with_permits(semaphore_ref, permits, section, watchdog)
// Participants: threads; fewer than 2^32 permits requested at a time.
// Scope: device.
// Ordering: release fence before leaving; acquire fence once the thread's last position is free.
//   So a thread is ordered after the one exit that raised its line. With one permit that is
//   enough: it shuts out only holders of all permits, and the exit is one of theirs, or that of a
//   thread that was let in after theirs. With several permits the thread also waits until the
//   count of released permits, a chain of read-modify-writes, includes the exits that free its
//   positions; it is then ordered after each of them. A second fence in every exit would do the
//   same, but a fence delays all later waiters.
// Progress: FIFO, so starvation-free: a later arrival never has earlier free positions. An exit is
//   wait-free, and no operation is ever retried.
// Residency: of all waiters.
// Fairness: order of arrival.
// Traffic: one fetch-add to arrive, one load per poll; with several permits two, one of them of the
//   count. To leave, a reader adds once and raises one line; a holder of all permits stores to one
//   line or raises two. Holders of adjacent positions poll the same line; for S = 1 each line has
//   one waiter. Waiters farther away than the ring's length sleep.
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

namespace finesync::inline FINESYNC_ABI {

/// The device side; trivially copyable, passed by value.
template <class Backoff, unsigned Lines>
class ticket_semaphore_ref {
  static_assert(Lines >= 4 && std::has_single_bit(Lines));

  struct alignas(line_bytes) line {
    cell<std::uint64_t> returned;  ///< released permits, as last published on this line
  };

 public:
  struct state {
    alignas(line_bytes) cell<std::uint64_t> next;        ///< positions taken so far
    alignas(line_bytes) cell<std::uint64_t> given_back;  ///< permits released so far
    line lines[Lines];
  };
  struct acquisition {
    Backoff backoff;
    std::uint32_t permits = 0;
    std::uint32_t ahead = 0;   ///< permits yet to be released, at the last poll
    std::uint64_t end = 0;     ///< one past the thread's last position
    std::uint64_t needed = 0;  ///< released permits that make the thread's positions free
  };

  /// A line covers as many positions as a writer takes, or up to twice as many.
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

  __device__ bool try_enter(acquisition& r) const {
    return is_free(r) && is_counted(r) && complete_entry(r);
  }
  __device__ bool try_enter_burst(acquisition& r) const {
    if (!is_free(r) && is_far(r)) return false;
    const word own(line_of(r.end - 1));
    const auto is_raised = [&] { return own.load(memory_order::relaxed) >= r.needed; };
    const word count(state_->given_back);
    const auto is_raised_and_counted = [&] {
      // Both loads in one trip to the L2: no && here.
      const std::uint64_t raised = own.load(memory_order::relaxed);
      const std::uint64_t counted = count.load(memory_order::relaxed);
      return (raised < counted ? raised : counted) >= r.needed;
    };
    const bool may_enter =
        r.permits == 1 ? poll_briefly(is_raised) : poll_briefly(is_raised_and_counted);
    return may_enter && complete_entry(r);
  }

  /// A line gives the distance only modulo the ring's length; near the front every waiter polls.
  /// The unit of the distance is S positions, as they take at least one hand-off.
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
    say(before, before + r.permits);
    return true;
  }

 private:
  using word = atomic_ref<std::uint64_t, scope::device>;

  /// Length in positions.
  __device__ std::uint64_t ring() const { return std::uint64_t{Lines} << line_shift_; }

  __device__ bool is_far(const acquisition& r) const { return r.ahead > ring(); }

  __device__ bool is_free(acquisition& r) const {
    const std::uint64_t returned = word(line_of(r.end - 1)).load(memory_order::relaxed);
    if (returned >= r.needed) return true;
    r.ahead = static_cast<std::uint32_t>(r.needed - returned);
    return false;
  }

  /// Whether the thread is ordered after all exits that it has to be, apart from the fence.
  __device__ bool is_counted(const acquisition& r) const {
    return r.permits == 1 || word(state_->given_back).load(memory_order::relaxed) >= r.needed;
  }

  __device__ bool complete_entry(const acquisition& r) const {
    fence<memory_order::acquire, scope::device>();  // once, rather than at every poll
    // This thread holds all permits: all earlier holders have left, and no thread adds until this
    // one leaves. Stored here, where it does not delay the next waiter.
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

  /// Computes the lines before the fence, as the next waiter waits for everything after it.
  __device__ void leave_alone(const acquisition& r) const {
    const std::uint64_t last = r.end + size_ - 1;
    const word first_line(line_of(r.end));
    if (share_line(r.end, last)) {
      fence<memory_order::release, scope::device>();
      // Later stores to this line come only from threads that this store let in.
      first_line.store(r.end, memory_order::relaxed);
    } else {
      fence<memory_order::release, scope::device>();
      word(line_of(last)).fetch_max(r.end, memory_order::relaxed);
      first_line.fetch_max(r.end, memory_order::relaxed);
    }
  }

  /// Publishes the number of released permits to the holders of the positions that [before,
  /// returned) frees. These are at most S positions, so at most two lines. A maximum, as later
  /// exits may have published earlier.
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

/// Owns the state. With one permit each, the next `Lines` waiters poll. 32 is ample for hand-offs
/// that take less than a microsecond.
template <class Backoff = proportional_backoff<300, 65536>, unsigned Lines = 32>
class ticket_semaphore {
 public:
  using backoff_policy = Backoff;
  static constexpr unsigned lines = Lines;

  /// \throws std::invalid_argument unless the size is 1 to 2^31, std::bad_alloc if device memory is
  /// used up.
  explicit ticket_semaphore(unsigned size, const stream& on = {})
      : size_(checked_size(size)), state_(1, on) {}

  void reset() { state_.reset(); }

  ticket_semaphore_ref<Backoff, Lines> ref() const { return {state_.device_data(), size_}; }

 private:
  using state = typename ticket_semaphore_ref<Backoff, Lines>::state;

  unsigned size_;
  zeroed_states<state> state_;
};

}  // namespace finesync::inline FINESYNC_ABI
