// SPDX-License-Identifier: Apache-2.0
// The common part of HeteroSync's spin semaphore and the thesis's priority semaphore, step by step
// as printed. A semaphore of size S counts from S + 1 down. A reader takes 1 and must leave 1, so
// that up to S readers are inside; a writer takes all S + 1. A writer that finds no room raises a
// flag, and no reader enters while it is raised.
#pragma once

#include <finesync/device/numbering.cuh>
#include <finesync/host/buffer.cuh>
#include <finesync/semaphores/mutex_word.cuh>
#include <finesync/semaphores/permits.cuh>
#include <workloads/printed/semaphores/backoff.cuh>

#include <cstdint>
#include <vector>

namespace finesync::inline FINESYNC_ABI {

namespace detail {

/// A try by one thread.
struct one_thread {
  __device__ static bool leads() { return true; }
  __device__ static void sync() {}
  __device__ static bool any(bool found) { return found; }
};

/// A try by all threads of a block: thread 0 acts, and the others wait for each of its steps.
struct whole_block {
  __device__ static bool leads() { return is_first_of_block(); }
  __device__ static void sync() { __syncthreads(); }
  __device__ static bool any(bool found) { return __syncthreads_or(found) != 0; }
};

}  // namespace detail

/// The device side; trivially copyable, passed by value. `EntryPolicy` is one of
/// mutex_semaphore_ref. `Backoff`, no_backoff or steps_by_role, follows a failed try to enter.
/// Where the policy blocks the try, DoBackoff follows instead; a try that it does not block makes
/// DoBackoff start again from 1.
template <class EntryPolicy, class Backoff>
class printed_semaphore_ref {
 public:
  static constexpr bool exits_wait = true;  ///< an exit may fail

  // On one line, like HeteroSync's words. The fourth of those, the maximum, never changes, so the
  // ref has it.
  struct state {
    alignas(line_bytes) cell<std::uint32_t> count;  ///< free; accessed under the lock
    cell<std::uint32_t> lock;
    cell<std::uint32_t> writer_waiting;  ///< accessed under the lock
    typename EntryPolicy::state entry_policy;
  };
  struct acquisition {
    Backoff backoff;
    doubling_steps while_held_back;
    std::uint32_t taken = 0;  ///< of the count: the maximum by writers
    bool held_back = false;
    bool inside = false;
  };

  printed_semaphore_ref(state* s, unsigned size) : state_(s), maximum_(size + 1) {}

  /// The ref of a reader. Otherwise an acquisition of all permits is a writer's, also at size 1.
  __device__ printed_semaphore_ref for_reader() const {
    printed_semaphore_ref same = *this;
    same.reads_ = true;
    return same;
  }

  __device__ acquisition enqueue(unsigned permits) const {
    require_permits(permits, maximum_ - 1);
    const bool writes = !reads_ && permits == maximum_ - 1;
    return {.backoff = {}, .while_held_back = {}, .taken = writes ? maximum_ : permits};
  }
  __device__ bool try_enter(acquisition& r) const { return try_enter_by<detail::one_thread>(r); }
  __device__ bool leave(acquisition& r) const { return leave_by<detail::one_thread>(r); }
  __device__ bool try_enter_as_block(acquisition& r) const {
    return try_enter_by<detail::whole_block>(r);
  }
  __device__ bool leave_as_block(acquisition& r) const { return leave_by<detail::whole_block>(r); }

  /// Threads that leave never back off.
  __device__ void wait(acquisition& r) const {
    if (r.inside) return;
    if (r.held_back) {
      r.while_held_back.wait();
    } else {
      r.backoff.wait(writes(r));
    }
  }

 private:
  template <class Participants>
  __device__ bool try_enter_by(acquisition& r) const {
    const bool leads = Participants::leads();
    Participants::sync();
    if (!Participants::any(leads && may_try(r) && detail::try_lock(state_->lock))) return false;
    const bool room = Participants::any(leads && has_room(r));
    if (room) Participants::sync();
    if (leads) {
      if (room) {
        take(r);
      } else if (writes(r)) {
        state_->writer_waiting = 1;
      }
      detail::unlock(state_->lock);
    }
    Participants::sync();
    return room;
  }

  template <class Participants>
  __device__ bool leave_by(acquisition& r) const {
    const bool leads = Participants::leads();
    if (!Participants::any(leads && try_lock_to_leave())) return false;
    if (leads) {
      state_->count = state_->count + r.taken;
      detail::unlock(state_->lock);
      EntryPolicy::on_successful_exit(state_->entry_policy);
    }
    Participants::sync();
    return true;
  }

  __device__ bool try_lock_to_leave() const {
    if (detail::try_lock(state_->lock)) return true;
    EntryPolicy::on_failed_exit(state_->entry_policy);
    return false;
  }
  __device__ bool may_try(acquisition& r) const {
    r.held_back = EntryPolicy::blocks_entries(state_->entry_policy);
    if (!r.held_back) r.while_held_back = {};
    return !r.held_back;
  }
  __device__ bool has_room(const acquisition& r) const {
    const std::uint32_t count = state_->count;
    return writes(r) ? count == maximum_ : state_->writer_waiting == 0 && count > r.taken;
  }
  __device__ void take(acquisition& r) const {
    state_->count = state_->count - r.taken;
    if (writes(r)) state_->writer_waiting = 0;
    r.inside = true;
  }

  __device__ bool writes(const acquisition& r) const { return r.taken == maximum_; }

  state* state_;
  std::uint32_t maximum_;
  bool reads_ = false;
};

/// Owns the words.
template <class EntryPolicy, class Backoff>
class printed_semaphore {
 public:
  using backoff_policy = Backoff;

  /// \throws std::invalid_argument unless the size is 1 to 2^31, std::bad_alloc if device memory is
  /// used up.
  explicit printed_semaphore(unsigned size, const stream& on = {})
      : size_(checked_size(size)), words_(sizeof(state) / sizeof(std::uint32_t), on) {
    reset();
  }

  void reset() {
    std::vector<std::uint32_t> words(words_.size(), 0);
    words.front() = size_ + 1;
    words_.copy_from(words);
  }

  printed_semaphore_ref<EntryPolicy, Backoff> ref() const { return {device_state(), size_}; }

 protected:
  using state = typename printed_semaphore_ref<EntryPolicy, Backoff>::state;

  state* device_state() const { return reinterpret_cast<state*>(words_.raw_pointer()); }

 private:
  unsigned size_;
  buffer<std::uint32_t> words_;
};

}  // namespace finesync::inline FINESYNC_ABI
