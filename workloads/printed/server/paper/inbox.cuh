// SPDX-License-Identifier: Apache-2.0
// The receiving side of the paper's message path (ASPLOS'19, section 3.2.3).
//
// Warp 0 of a server block leads: it polls which requests have arrived, up to 1,024 with one
// access. It assigns ranges of up to 32 consecutive requests to the other warps. These follow: they
// read their range and run its sections. Leader and followers communicate only in shared memory:
//|  assignment buffers  one word per follower: which slots, how many, which reset counter; 0 while
//|                      the follower is idle
//|  reset counters      `current` of `target` requests of a longer range are read; when all are,
//|                      the leader clears the range's bits and advances read_idx
//
// Where the paper is silent:
// - A reset counter covers an eighth of a ring, plus the excess of its last assignment, before it
//   is closed. The next range has the next counter. The leader clears the ranges in order of their
//   positions, so read_idx never passes an unread request.
// - A follower is idle again when its sections have run, not once it has read.
// - The last assignment of a follower is `leave`. The leader makes it when all clients have
//   finished and all their reservations are assigned. Only the leader checks for that, when it
//   finds no request.
#pragma once

#include <finesync/device/atomic_ref.cuh>
#include <finesync/device/numbering.cuh>
#include <finesync/device/warp.cuh>
#include <finesync/device/watchdog.cuh>
#include <finesync/server/masked_rings.cuh>
#include <workloads/printed/server/paper/ring_metadata.cuh>

#include <cstddef>
#include <cstdint>

namespace finesync::inline FINESYNC_ABI {

/// Whether a leader asks if all clients have finished only when it finds nothing to do, or after
/// everything that it does.
enum class termination_check { when_idle, always };

namespace detail {

/// The packed word of an assignment buffer.
struct assignment {
  static constexpr unsigned counter_bits = 4;
  static constexpr unsigned slot_bits = 22;
  static constexpr std::uint32_t none = 0;
  static constexpr std::uint32_t leave = 0xffffffff;

  std::uint32_t word;

  __device__ static assignment of(std::uint32_t slot, unsigned size, unsigned counter) {
    return {size << (slot_bits + counter_bits) | counter << slot_bits | slot};
  }
  __device__ std::uint32_t assign_idx() const { return word & ((1u << slot_bits) - 1); }
  __device__ unsigned assign_size() const { return word >> (slot_bits + counter_bits); }
  __device__ unsigned reset_counter_id() const {
    return word >> slot_bits & ((1u << counter_bits) - 1);
  }
};

/// The shared memory of a server block.
struct assignment_table {
  // Ranges not yet cleared span at most a ring, and each closed one at least an eighth. So 8 are
  // closed, one is open, and a counter is always free.
  static constexpr unsigned counters = 1u << assignment::counter_bits;
  static constexpr unsigned max_followers = 31;

  struct reset_counter {
    cell<std::uint32_t> target;   ///< of a closed counter; used only by the leader
    cell<std::uint32_t> current;  ///< requests read
  };

  cell<std::uint32_t> assigned[max_followers];
  reset_counter resets[counters];
};

/// The leader warp: its steps and its state, equal in all lanes.
template <class Argument, scope Scope, termination_check Check = termination_check::when_idle,
          class Metadata = ring_metadata<Argument, Scope>>
class assignment_leader {
 public:
  using rings = masked_rings<Argument, Scope>;

  __device__ assignment_leader(const rings& from, unsigned server, assignment_table& table,
                               unsigned followers)
      : rings_(from), metadata_(from, server), table_(table), followers_(followers) {}

  /// Leads until all requests, present and future, are assigned and the followers dismissed.
  /// \returns false when the watchdog ended a wait.
  __device__ bool lead(const watchdog_ref& watchdog) {
    for (;;) {
      bounded_wait wait(watchdog, awaited::requests);
      while (!step()) {
        if (metadata_.is_over()) return dismiss(watchdog);
        if (__any_sync(all_lanes, wait.timed_out())) return false;
      }
      if (Check == termination_check::always && metadata_.is_over()) return dismiss(watchdog);
    }
  }

 private:
  static constexpr unsigned all_lanes = 0xffffffffu;
  using block_word = atomic_ref<std::uint32_t, scope::block>;
  using reset_counter = assignment_table::reset_counter;

  /// Does all that is possible now. \returns whether it did anything. The assignments are stored
  /// with release after the fences of poll() in all lanes, so they hand the requests on to the
  /// followers.
  __device__ bool step() {
    const bool found = metadata_.found() == 0 && metadata_.poll();
    const bool assigned = metadata_.found() != 0 && assign();
    const bool cleared = clear_read();
    return found || assigned || cleared;
  }

  /// Dismisses each follower once it is idle.
  /// \returns false when the watchdog ended the wait.
  __device__ bool dismiss(const watchdog_ref& watchdog) {
    bool owing = lane_id() < followers_;
    bounded_wait wait(watchdog, awaited::requests);
    while (__any_sync(all_lanes, owing)) {
      if (owing && is_idle()) {
        mine().store(assignment::leave, memory_order::release);
        owing = false;
      } else if (wait.timed_out()) {
        return false;
      }
    }
    return true;
  }

  /// The assignment buffer of the lane's follower.
  __device__ block_word mine() const { return block_word(table_.assigned[lane_id()]); }
  // Relaxed: the reset counter acquires what the follower has read, and nothing else of the
  // follower matters here.
  __device__ bool is_idle() const {
    return lane_id() < followers_ && mine().load(memory_order::relaxed) == assignment::none;
  }
  __device__ reset_counter& counter(std::uint32_t number) const {
    return table_.resets[number % assignment_table::counters];
  }

  // Assigns the next range of 32 to each idle follower, while requests last.
  __device__ bool assign() {
    const bool idle = is_idle();
    const unsigned all_idle = __ballot_sync(all_lanes, idle);
    if (all_idle == 0) return false;
    const std::uint32_t left = metadata_.found();
    const std::uint32_t before = 32 * lanes_below(all_idle);
    if (idle && before < left) {
      const std::uint32_t size = left - before < 32 ? left - before : 32;
      mine().store(assignment::of(rings_.slot(metadata_.head() + before), size,
                                  open_ % assignment_table::counters)
                       .word,
                   memory_order::release);
    }
    const std::uint32_t most = 32 * static_cast<unsigned>(__popc(all_idle));
    const std::uint32_t given = left < most ? left : most;
    metadata_.take(given);
    gathered_ += given;
    if (gathered_ >= rings_.config().ring / 8) {
      if (lane_id() == 0) counter(open_).target = gathered_;
      gathered_ = 0;
      ++open_;
    }
    return true;
  }

  // Frees the slots of the oldest closed range if all of it is read.
  //
  // The followers add to `current` with release after reading. Each addition continues the release
  // sequences of earlier ones, so lane 0 acquires them all with the value that equals the target.
  __device__ bool clear_read() {
    if (oldest_ == open_) return false;
    std::uint32_t target = 0;
    if (lane_id() == 0) {
      reset_counter& oldest = counter(oldest_);
      target = oldest.target;
      if (block_word(oldest.current).load(memory_order::acquire) == target) {
        block_word(oldest.current).store(0, memory_order::relaxed);  // for its next range
      } else {
        target = 0;
      }
    }
    target = __shfl_sync(all_lanes, target, 0);
    if (target == 0) return false;
    __syncwarp();
    metadata_.free(target);
    ++oldest_;
    return true;
  }

  const rings& rings_;
  Metadata metadata_;
  assignment_table& table_;
  unsigned followers_;
  std::uint32_t open_ = 0;      ///< counter of the next assignment; grows without bound
  std::uint32_t oldest_ = 0;    ///< first counter with an uncleared range
  std::uint32_t gathered_ = 0;  ///< requests assigned under the open counter
};

}  // namespace detail

/// \tparam Metadata of the ring, as the leader handles them: another in tests that count them.
template <class Argument, scope Scope, termination_check Check = termination_check::when_idle,
          class Metadata = detail::ring_metadata<Argument, Scope>>
class paper_inbox {
 public:
  using rings = masked_rings<Argument, Scope>;

  static std::size_t shared_bytes(const server_config&, unsigned /*threads_per_block*/) {
    return sizeof(detail::assignment_table);
  }

  /// All threads of the block construct it together; blocks are two or more whole warps.
  __device__ paper_inbox(const rings& from, unsigned server, unsigned char* shared,
                         const watchdog_ref& watchdog)
      : rings_(from),
        watchdog_(watchdog),
        server_(server),
        table_(*reinterpret_cast<detail::assignment_table*>(shared)) {
    auto* words = reinterpret_cast<cell<std::uint32_t>*>(shared);
    for (unsigned i = thread_rank(); i < sizeof(table_) / 4; i += block_threads()) words[i] = 0;
    __syncthreads();
  }

  /// Calls handle(here, local, argument) in all lanes of a follower warp for requests that have
  /// arrived, until all clients have finished. In lanes that are not `here` the other arguments are
  /// undefined. A request that the handler leaves is lost.
  /// \returns false when the handler did, in all lanes, or the watchdog ended a wait: leave the
  /// kernel.
  template <class Handler>
  __device__ bool receive(Handler&& handle) {
    return thread_rank() < 32 ? lead() : follow(handle);
  }

 private:
  static constexpr unsigned all_lanes = 0xffffffffu;
  using block_word = atomic_ref<std::uint32_t, scope::block>;

  __device__ bool lead() {
    return detail::assignment_leader<Argument, Scope, Check, Metadata>(rings_, server_, table_,
                                                                       block_threads() / 32 - 1)
        .lead(watchdog_);
  }

  template <class Handler>
  __device__ bool follow(Handler& handle) {
    const block_word assigned(table_.assigned[thread_rank() / 32 - 1]);
    for (;;) {
      detail::assignment work = {};
      if (!await_work(assigned, work)) return false;
      if (work.word == detail::assignment::leave) return true;
      bool here = lane_id() < work.assign_size();
      typename rings::request request = {};
      if (here) request = rings_.load(server_, work.assign_idx() + lane_id());
      // Lane 0 releases the slots that all lanes have read.
      __syncwarp();
      if (lane_id() == 0) {
        block_word(table_.resets[work.reset_counter_id()].current)
            .fetch_add(work.assign_size(), memory_order::release);
      }
      if (!handle(here, request.local(), request.argument())) return false;
      if (lane_id() == 0) assigned.store(detail::assignment::none, memory_order::relaxed);
    }
  }

  // \returns false when the watchdog ended the wait.
  __device__ bool await_work(const block_word& assigned, detail::assignment& work) {
    bounded_wait wait(watchdog_, awaited::requests);
    for (;;) {
      if (lane_id() == 0) work.word = assigned.load(memory_order::acquire);
      work.word = __shfl_sync(all_lanes, work.word, 0);
      if (work.word != detail::assignment::none) break;
      if (__any_sync(all_lanes, wait.timed_out())) return false;
    }
    __syncwarp();  // extends lane 0's acquire to all lanes
    return true;
  }

  const rings& rings_;
  const watchdog_ref& watchdog_;
  unsigned server_;
  detail::assignment_table& table_;
};

}  // namespace finesync::inline FINESYNC_ABI
