// SPDX-License-Identifier: Apache-2.0
// The basic message path (ASPLOS'19, section 3.2.1): every thread sends and receives on its own.
//
// Outbox (client block). A thread reserves a slot by an atomic increment of write_idx and waits
// until read_idx shows the slot free. Then it writes its request and sets the slot's bit.
// Inbox (server block). A thread claims the next position by an atomic increment in shared memory,
// waits for its bit, reads the request and clears the bit. It increments read_idx once all earlier
// positions are counted. Then its warp runs the requests that have arrived in its lanes.
//
// Use: server_pool<basic_channel<Argument>, Execution>
// Participants: any threads of a client block, converged or not, and all threads of a server block.
// Ordering: what a client did before send() happens before the section of the request (hand-offs:
//   masked_rings.cuh).
// Progress: no ring size or number of blocks deadlocks. A sender waits only for the requests before
//   its own, and has left nothing else unfinished. A receiver waits with its claim, but its warp
//   continues. Lanes of a client warp must be able to run independently (Volta).
// Residency: all blocks must be resident.
// Fairness: a ring is served in order of reservation.
// Traffic: four atomics and two fences per request, and one load per poll.
// Reset: zero the memory.
#pragma once

#include <finesync/device/fence.cuh>
#include <finesync/device/numbering.cuh>
#include <finesync/device/warp.cuh>
#include <finesync/device/watchdog.cuh>
#include <finesync/server/masked_rings.cuh>

#include <cstddef>
#include <cstdint>

namespace finesync::inline FINESYNC_ABI {

template <class Argument, scope Scope = scope::device>
class basic_channel : public masked_rings<Argument, Scope> {
 public:
  static constexpr unsigned min_warps = 1;       ///< minimum per block
  static constexpr bool keeps_requests = false;  ///< if a handler leaves them for later

  using masked_rings<Argument, Scope>::masked_rings;

  class outbox;
  class inbox;
};

template <class Argument, scope Scope>
class basic_channel<Argument, Scope>::outbox {
 public:
  static std::size_t shared_bytes(const server_config&, unsigned /*threads_per_block*/) {
    return 0;
  }

  /// All threads of the block construct it together.
  __device__ outbox(const masked_rings<Argument, Scope>& to, unsigned char* /*shared*/,
                    const watchdog_ref& watchdog)
      : rings_(to), watchdog_(watchdog) {}

  /// Sends a request. Any threads of the block, converged or not.
  /// \returns false when the watchdog ended a wait for space: leave the kernel.
  __device__ bool send(const destination& to, const Argument& argument) {
    return send_alone(rings_, to.server, basic_channel::request::of(to.local, argument), watchdog_);
  }
  /// The same: this path has no buffers.
  __device__ bool send_now(const destination& to, const Argument& argument) {
    return send(to, argument);
  }

  /// Counts this block as finished. All threads of the block, after their last send(). \returns
  /// true.
  __device__ bool finish() {
    // The barrier orders all reservations of the block before the count of this block.
    __syncthreads();
    count_as_done(rings_, thread_rank(), block_threads());
    return true;
  }

 private:
  const masked_rings<Argument, Scope>& rings_;
  const watchdog_ref& watchdog_;
};

template <class Argument, scope Scope>
class basic_channel<Argument, Scope>::inbox {
 public:
  static std::size_t shared_bytes(const server_config&, unsigned /*threads_per_block*/) {
    return sizeof(ring_progress);
  }

  /// All threads of the block construct it together; blocks are whole warps.
  __device__ inbox(const basic_channel& channel, unsigned server, unsigned char* shared,
                   const watchdog_ref& watchdog)
      : channel_(channel),
        watchdog_(watchdog),
        server_(server),
        progress_(*reinterpret_cast<ring_progress*>(shared)) {
    if (is_first_of_block()) {
      progress_.claimed = 0;
      progress_.read = 0;
      progress_.end = 0;
      progress_.final = 0;
    }
    __syncthreads();
  }

  /// Calls handle(here, local, argument) in all lanes of a warp for requests that have arrived,
  /// until all clients have finished. In lanes that are not `here` the other arguments are
  /// undefined. A request that the handler leaves is lost.
  /// \returns false when the handler did, in all lanes, or the watchdog ended a wait: leave the
  /// kernel.
  template <class Handler>
  __device__ bool receive(Handler&& handle) {
    claim mine = {0, stage::counted};
    for (;;) {
      typename basic_channel::request request = {};
      bool here = false;
      bounded_wait wait(watchdog_, awaited::requests);
      for (bool moved = false; !moved;) {
        if (mine.at == stage::counted) {
          mine = {block_word(progress_.claimed).fetch_add(1, memory_order::relaxed),
                  stage::awaited};
        }
        here = read_arrived(mine, request);
        const bool arrived = __any_sync(all_lanes, here) != 0;
        if (arrived) publish_reading();
        moved = count_in_order(mine) || arrived;
        if (moved) continue;
        if (is_over(mine)) return true;
        if (__any_sync(all_lanes, wait.timed_out())) return false;
      }
      if (__any_sync(all_lanes, here) && !handle(here, request.local(), request.argument()))
        return false;
    }
  }

 private:
  static constexpr unsigned all_lanes = 0xffffffffu;
  using block_word = atomic_ref<std::uint32_t, scope::block>;

  // A lane's position and its progress.
  enum class stage { awaited, read, counted };
  struct claim {
    std::uint32_t position;
    stage at;
  };
  struct ring_progress {
    cell<std::uint32_t> claimed;  ///< positions below are given to lanes
    cell<std::uint32_t> read;     ///< read_idx, changed only by this block
    cell<std::uint32_t> end;      ///< last write_idx, valid once `final` is set
    cell<std::uint32_t> final;
  };

  __device__ std::uint32_t acquired(cell<std::uint32_t>& word) {
    return block_word(word).load(memory_order::acquire);
  }

  // Reads the lane's request if it has arrived.
  __device__ bool read_arrived(claim& mine, typename basic_channel::request& request) {
    bool here = false;
    // Until position - ring is read, the bit may belong to that position. Afterwards it does not:
    // `read` is stored with release after the bit is cleared.
    if (mine.at == stage::awaited &&
        mine.position - acquired(progress_.read) < channel_.config().ring) {
      const auto mask = channel_.mask(server_, mine.position);
      const std::uint32_t bit = mask_bit(mine.position);
      here = (mask.load(memory_order::relaxed) & bit) != 0;
      if (here) {
        fence<memory_order::acquire, Scope>();
        request = channel_.load(server_, mine.position);
        mask.fetch_and(~bit, memory_order::relaxed);
        mine.at = stage::read;
      }
    }
    return here;
  }

  // Every lane fences after all that the warp has read. A sender that sees n additions to read_idx
  // takes the first n slots for free, whichever lanes have added.
  __device__ void publish_reading() {
    __syncwarp();
    fence<memory_order::release, Scope>();
  }

  // Increments read_idx for the requests that the warp has read and that are next in order.
  //
  // The number of requests read would not do: with 3 read before 2, it would free the slot of
  // position 2. So only a request's own lane counts it, and only after all earlier ones. `read`
  // equals one uncounted position; one lane holds it, and only that lane's warp advances `read`.
  __device__ bool count_in_order(claim& mine) {
    std::uint32_t read = acquired(progress_.read);
    const unsigned next = __ballot_sync(all_lanes, mine.at == stage::read && mine.position == read);
    if (next == 0) return false;
    read = __shfl_sync(all_lanes, read, __ffs(static_cast<int>(next)) - 1);
    const std::uint32_t ahead = mine.position - read;
    const bool near = mine.at == stage::read && ahead < 32;
    std::uint32_t held = near ? 1u << ahead : 0;
    for (int step = 16; step > 0; step /= 2) held |= __shfl_xor_sync(all_lanes, held, step);
    const unsigned count = bits_in_a_row(held, 0);
    __syncwarp();  // orders the additions of all lanes after those of earlier warps
    if (near && ahead < count) {
      channel_.read_idx(server_).fetch_add(1, memory_order::relaxed);
      mine.at = stage::counted;
    }
    __syncwarp();
    if (lane_id() == 0) block_word(progress_.read).store(read + count, memory_order::release);
    return true;
  }

  // Whether no lane of the warp will get another request. One thread polls the clients and
  // publishes the result (section 3.1.1).
  __device__ bool is_over(const claim& mine) {
    if (is_first_of_block() && block_word(progress_.final).load(memory_order::relaxed) == 0 &&
        channel_.clients_done(server_).load(memory_order::relaxed) == channel_.config().clients) {
      fence<memory_order::acquire, Scope>();
      progress_.end = channel_.write_idx(server_).load(memory_order::relaxed);
      block_word(progress_.final).store(1, memory_order::release);
    }
    return __all_sync(all_lanes,
                      acquired(progress_.final) != 0 && mine.at == stage::awaited &&
                          static_cast<std::int32_t>(mine.position - progress_.end) >= 0) != 0;
  }

  const basic_channel& channel_;
  const watchdog_ref& watchdog_;
  unsigned server_;
  ring_progress& progress_;
};

}  // namespace finesync::inline FINESYNC_ABI
