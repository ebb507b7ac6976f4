// The fast message path: requests tell by themselves whether they have arrived, receivers need no
// leader, and space is given back in steps.
//
// Outbox (client block). Threads drop requests into one small buffer per server in shared memory.
//   Whoever fills a half of a buffer reserves as many ring positions with one atomic and its warp
//   copies the half there, coalesced. Nobody else waits.
// Inbox (server block). Thread t of n owns the ring positions t, t + n, ...: nothing is claimed. A
//   warp asks how far the ring is reserved, reads its lanes' positions, and hands on whatever has
//   arrived; its lanes need not be equally far. Each time all warps have passed another eighth of
//   the ring, one of them tells the clients by one atomic.
//
// Participants: any threads of a client block, together or not, and all of a server block.
// Ordering: a request carries values. What a client wrote to memory before send() is *not* made
//   visible to the section; the basic and the paper path do that.
// Progress: no ring size, buffer size or number of blocks deadlocks: a thread that waits for space
//   in one ring goes on serving all other buffers, and it waits only for requests that were placed
//   before. Requests of a half that never fills are sent by finish().
// Residency: all blocks at once.   Limits: fewer than 2^32 requests per server until the reset.
// Fairness: a ring is served in order of reservation.
// Traffic: per half buffer one atomic and the requests, coalesced; per ring eighth one atomic.
// Reset: zero the memory.
#pragma once

#include "finesync/device/atomic_ref.cuh"
#include "finesync/device/backoff.cuh"
#include "finesync/device/fence.cuh"
#include "finesync/device/warp.cuh"
#include "finesync/device/watchdog.cuh"
#include "finesync/server/server_config.cuh"
#include "finesync/server/wire.cuh"

#include <bit>
#include <cstddef>
#include <cstdint>

namespace finesync {

/// `Slot` is a parameter, and some members are protected, for the broken twins of the tests.
template <class Argument, template <unsigned> class Slot = wire_slot>
class fast_channel {
 public:
  using argument_type = Argument;
  static constexpr bool keeps_requests = true;  ///< that a handler leaves for later
  static constexpr unsigned min_warps = 1;
  using packed = packed_request<Argument>;
  using slot = Slot<packed::units>;

  /// Global memory for all rings, in bytes.
  static std::size_t memory_bytes(const server_config& config) {
    return config.servers * (sizeof(control) + config.ring * sizeof(slot));
  }

  fast_channel(const server_config& config, unsigned char* memory)
      : config_(config),
        half_bits_(static_cast<unsigned>(std::countr_zero(config.local_buffer / 2))),
        control_(reinterpret_cast<control*>(memory)),
        ring_(reinterpret_cast<slot*>(memory + config.servers * sizeof(control))) {}

  __host__ __device__ const server_config& config() const { return config_; }

  class outbox;
  class inbox;

 protected:
  // What a server and its clients tell each other.
  struct alignas(line_bytes) control {
    /// Ring positions given to clients (upper half) and known to be free again (lower half):
    /// whoever reserves learns by the same access how much space there is.
    cell<std::uint64_t> positions;
    cell<std::uint32_t> clients_done;  ///< clients that send no more
    /// The lower half once more, for clients that wait for space: they would be in the way above.
    alignas(line_bytes) cell<std::uint32_t> consumed;
  };
  static constexpr unsigned reserved_shift = 32;
  static constexpr unsigned all_lanes = 0xffffffffu;
  /// Who waits leaves the instruction slots of the SM to those who work.
  using idle_backoff = exponential_backoff<64, 1024>;

  using device_word = atomic_ref<std::uint32_t, scope::device>;
  using position_word = atomic_ref<std::uint64_t, scope::device>;
  using block_word = atomic_ref<std::uint32_t, scope::block>;

  __device__ slot& at(unsigned server, std::uint32_t position) const {
    return ring_[std::size_t{server} * config_.ring + (position & (config_.ring - 1))];
  }

  server_config config_;
  unsigned half_bits_;  ///< log2 of the requests in half a local buffer
  control* control_;
  slot* ring_;
};

template <class Argument, template <unsigned> class Slot>
class fast_channel<Argument, Slot>::outbox {
 public:
  static std::size_t shared_bytes(const server_config& config, unsigned /*threads_per_block*/) {
    return config.servers *
           (sizeof(tray) + config.local_buffer * packed::units * sizeof(std::uint64_t));
  }

  /// All threads of the block construct it together.
  __device__ outbox(const fast_channel& channel, unsigned char* shared, const watchdog_ref& dog)
      : channel_(channel),
        dog_(dog),
        partition_(channel.config_.servers),
        half_(channel.config_.local_buffer / 2),
        trays_(reinterpret_cast<tray*>(shared + channel.config_.servers *
                                                    channel.config_.local_buffer * packed::units *
                                                    sizeof(std::uint64_t))),
        stage_(reinterpret_cast<cell<std::uint64_t>*>(shared)) {
    constexpr unsigned tray_words = sizeof(tray) / sizeof(std::uint32_t);
    for (unsigned i = threadIdx.x; i < channel_.config_.servers * tray_words; i += blockDim.x)
      reinterpret_cast<cell<std::uint32_t>*>(trays_)[i] = 0;
    __syncthreads();
  }

  /// Sends a request, sooner or later. Any threads of the block, converged or not.
  /// \returns false when the watchdog ended a wait for space: leave the kernel.
  __device__ bool send(std::uint32_t key, const Argument& argument) {
    const request<Argument> one[1] = {{key, argument}};
    return send(one);
  }

  /// Sends several; faster than one by one, as their trips to the L2 overlap.
  template <unsigned Count>
  __device__ bool send(const request<Argument> (&batch)[Count]) {
    // A mask that the compiler knows makes every collective cheaper.
    const unsigned together = __activemask();
    if (together == all_lanes) return send_in(lane_group(all_lanes), batch);
    return send_in(lane_group(together), batch);
  }

  /// Sends what is left, and counts this block out. All threads of the block, after their last
  /// send(). \returns false when the watchdog ended a wait for space.
  __device__ bool finish() {
    __syncthreads();
    const lane_group warp(all_lanes);
    bool all_sent = true;
    for (unsigned first = threadIdx.x / 32 * 32; first < channel_.config_.servers;
         first += blockDim.x) {
      const unsigned server = first + lane_id();
      item rest = {};
      rest.server = server;
      if (server < channel_.config_.servers) {
        const std::uint32_t end = trays_[server].taken;
        rest.owed = end & (half_ - 1);
        rest.entry = end - rest.owed;
        if (rest.owed > 0) rest.position = reserve(server, rest.owed);
      }
      patience patient(dog_);
      while (all_sent && warp.any(rest.owed > 0)) {
        const std::uint32_t now = space(rest);
        copy_owed(warp, rest, now);
        rest.advance(now);
        all_sent = !warp.any(patient.exhausted());
      }
    }
    // The barrier puts all reservations of the block before its being counted out.
    __syncthreads();
    for (unsigned server = threadIdx.x; server < channel_.config_.servers; server += blockDim.x)
      device_word(channel_.control_[server].clients_done).fetch_add(1, memory_order::release);
    return all_sent;
  }

 protected:
  // The buffer for one server, two halves that are filled and sent independently, so each has its
  // own counts, which go on since the start. Seven words: neighbours' lie in different banks.
  struct tray {
    cell<std::uint32_t> taken;      ///< entries given to threads
    cell<std::uint32_t> filled[2];  ///< entries written in the even and in the odd halves
    cell<std::uint32_t> sent[2];    ///< even and odd halves copied to the ring: free again
    cell<std::uint32_t> consumed;   ///< the server's word, as last seen
    std::uint32_t padding;
  };

  __device__ cell<std::uint64_t>& staged(unsigned server, std::uint32_t entry, unsigned unit) {
    const unsigned entries = channel_.config_.local_buffer;
    return stage_[(server * packed::units + unit) * entries + (entry & (entries - 1))];
  }

  // A request on its way, and, if it was the one that filled its half, that half.
  struct item {
    packed what;
    unsigned server;
    std::uint32_t entry;  ///< of the request, then of the first that is owed, in the server's tray
    std::uint32_t position;  ///< of the first that is owed, in the server's ring
    std::uint32_t owed;      ///< entries that have ring positions and are to be copied there
    bool waiting;            ///< not yet in the tray

    __device__ void advance(std::uint32_t count) {
      entry += count;
      position += count;
      owed -= count;
    }
  };

  template <unsigned Count>
  __device__ bool send_in(const lane_group& group, const request<Argument> (&batch)[Count]) {
    item items[Count];
    for (unsigned i = 0; i < Count; ++i) items[i] = take(batch[i]);
    idle_backoff idle;
    patience patient(dog_);
    for (;;) {
      for (item& each : items) put(each);
      std::uint32_t copied[Count];
      for (unsigned i = 0; i < Count; ++i) {
        copied[i] = space(items[i]);
        copy_owed(group, items[i], copied[i]);
      }
      group.sync();
      bool busy = false;
      bool moved = false;
      for (unsigned i = 0; i < Count; ++i) {
        moved = moved || copied[i] > 0;
        if (copied[i] > 0 && copied[i] == items[i].owed)
          sent(items[i]).store(half_of(items[i].entry) / 2 + 1, memory_order::release);
        items[i].advance(copied[i]);
        busy = busy || items[i].waiting || items[i].owed > 0;
      }
      if (!group.any(busy)) return true;
      if (group.any(patient.exhausted())) return false;
      if (!group.any(moved)) idle.wait(1);
    }
  }

  __device__ block_word sent(const item& of) {
    return block_word(trays_[of.server].sent[half_of(of.entry) % 2]);
  }
  __device__ std::uint32_t half_of(std::uint32_t entry) const {
    return entry >> channel_.half_bits_;
  }

  __device__ item take(const request<Argument>& wanted) {
    const std::uint32_t local = partition_.local_of(wanted.key);
    const unsigned server = partition_.server_of(wanted.key, local);
    const std::uint32_t entry =
        block_word(trays_[server].taken).fetch_add(1, memory_order::relaxed);
    return {packed::of(local, wanted.argument), server, entry, 0, 0, true};
  }

  // Puts the request into its tray if there is room; who fills a half owes it to the server.
  __device__ void put(item& mine) {
    const std::uint32_t half = half_of(mine.entry);
    if (!mine.waiting || sent(mine).load(memory_order::acquire) != half / 2) return;
    for (unsigned unit = 0; unit < packed::units; ++unit)
      staged(mine.server, mine.entry, unit) = mine.what.unit[unit];
    mine.waiting = false;
    const block_word filled(trays_[mine.server].filled[half % 2]);
    if (filled.fetch_add(1, memory_order::acq_rel) == (half / 2 + 1) * half_ - 1) {
      mine.entry = half * half_;
      mine.owed = half_;
      mine.position = reserve(mine.server, half_);
    }
  }

  __device__ std::uint32_t reserve(unsigned server, std::uint32_t count) {
    const std::uint64_t now =
        position_word(channel_.control_[server].positions)
            .fetch_add(std::uint64_t{count} << reserved_shift, memory_order::relaxed);
    block_word(trays_[server].consumed)
        .store(static_cast<std::uint32_t>(now), memory_order::relaxed);
    return static_cast<std::uint32_t>(now >> reserved_shift);
  }

  // Copies `now` of what each lane owes to the ring; the lanes do it together, lane by lane.
  __device__ void copy_owed(const lane_group& group, const item& mine, std::uint32_t now) {
    for (unsigned left = group.ballot(now > 0); left != 0; left &= left - 1) {
      const int lane = __ffs(static_cast<int>(left)) - 1;
      const unsigned server = group.get(mine.server, lane);
      const std::uint32_t entry = group.get(mine.entry, lane);
      const std::uint32_t position = group.get(mine.position, lane);
      const std::uint32_t count = group.get(now, lane);
      for (std::uint32_t i = group.rank(); i < count; i += static_cast<unsigned>(group.size())) {
        packed copy;
        for (unsigned unit = 0; unit < packed::units; ++unit)
          copy.unit[unit] = staged(server, entry + i, unit);
        channel_.at(server, position + i)
            .store(copy, lap_parity(position + i, channel_.config_.ring));
      }
    }
  }

  // How many positions of what is owed are free, by the copy of the server's word that the block
  // shares, refreshed only when that does not show all (section 3.2.4, figure 5). Nobody waits for
  // more: a thread that did would hold up what it owes to other servers. Relaxed is
  // enough: the server counts a position as consumed after it has used what it read there, and the
  // store to the slot happens only if that count was read; no request can reach its own past.
  __device__ std::uint32_t space(const item& wanted) {
    if (wanted.owed == 0) return 0;
    const block_word seen(trays_[wanted.server].consumed);
    std::uint32_t free = free_from(wanted.position, seen.load(memory_order::relaxed));
    if (free < wanted.owed) {
      const std::uint32_t now =
          device_word(channel_.control_[wanted.server].consumed).load(memory_order::relaxed);
      seen.store(now, memory_order::relaxed);
      free = free_from(wanted.position, now);
    }
    return free < wanted.owed ? free : wanted.owed;
  }
  __device__ std::uint32_t free_from(std::uint32_t position, std::uint32_t consumed) const {
    const std::uint32_t end = consumed + channel_.config_.ring;
    return before(position, end) ? end - position : 0;
  }

  const fast_channel& channel_;
  const watchdog_ref& dog_;
  key_partition partition_;
  std::uint32_t half_;
  tray* trays_;
  cell<std::uint64_t>* stage_;
};

template <class Argument, template <unsigned> class Slot>
class fast_channel<Argument, Slot>::inbox {
 public:
  static std::size_t shared_bytes(const server_config&, unsigned /*threads_per_block*/) {
    return sizeof(progress);
  }

  /// All threads of the block construct it together; blocks are whole warps.
  __device__ inbox(const fast_channel& channel, unsigned server, unsigned char* shared,
                   const watchdog_ref& dog)
      : channel_(channel),
        dog_(dog),
        server_(server),
        warp_(threadIdx.x / 32),
        warps_(blockDim.x / 32),
        progress_(*reinterpret_cast<progress*>(shared)) {
    if (lane_id() == 0) progress_.passed_by_warp[warp_] = 0;
    if (threadIdx.x == 0) progress_.announced = 0;
    __syncthreads();
  }

  /// Calls handle(here, local, argument) in all lanes of a warp for requests that have arrived,
  /// until all clients have finished. In lanes that are not `here` the rest says nothing; where the
  /// handler clears `here` the request stays and is offered again. A handler that is pending() is
  /// called also without requests. \returns false when the handler did, in all lanes, or the
  /// watchdog ended a wait: leave the kernel.
  template <class Handler>
  __device__ bool receive(Handler&& handle) {
    glance now = {warp_ * 32 + lane_id(), false, {}};
    horizon seen = {0, false};
    idle_backoff idle;
    patience patient(dog_);
    for (;;) {
      const bool offered = arrived(now);
      if (__any_sync(all_lanes, offered) || handle.pending()) {
        patient.renew();
        idle = {};
        // The next trip to the L2 passes while this request is handled.
        const glance ahead = look_at(now.position + (offered ? warps_ * 32 : 0), seen);
        bool here = offered;
        if (!handle(here, now.found.local(), now.found.argument())) return false;
        if (here == offered) now = ahead;
        announce(now.position);
        continue;
      }
      if (!__any_sync(all_lanes, before(now.position, seen.reserved))) {
        if (seen.final) return true;
        seen = look(seen);
      }
      announce(now.position);
      if (__any_sync(all_lanes, patient.exhausted())) return false;
      idle.wait(1);
      now = look_at(now.position, seen);
    }
  }

 private:
  struct horizon {
    std::uint32_t reserved;  ///< requests lie, or will soon, below this position
    bool final;              ///< and there will be no others
  };
  // A ring position, and what was there, if it was worth looking.
  struct glance {
    std::uint32_t position;
    bool looked;
    packed found;
  };
  struct progress {
    cell<std::uint32_t> announced;           ///< clients know that all positions below are free
    cell<std::uint32_t> passed_by_warp[32];  ///< all positions below that are the warp's are done
  };

  // Only where a client may have written: beyond what is reserved there is nothing, and beyond what
  // was announced the parity is an old one.
  __device__ glance look_at(std::uint32_t position, const horizon& seen) {
    const std::uint32_t end = announced().load(memory_order::relaxed) + channel_.config_.ring;
    glance at = {position, before(position, seen.reserved) && before(position, end), {}};
    if (at.looked) channel_.at(server_, position).load(at.found);
    return at;
  }
  __device__ bool arrived(const glance& at) {
    return at.looked && slot::arrived(at.found, lap_parity(at.position, channel_.config_.ring));
  }

  __device__ block_word announced() { return block_word(progress_.announced); }
  __device__ block_word passed_by(unsigned warp) {
    return block_word(progress_.passed_by_warp[warp]);
  }

  __device__ static std::uint32_t reserved_of(control& of) {
    return static_cast<std::uint32_t>(position_word(of.positions).load(memory_order::relaxed) >>
                                      reserved_shift);
  }

  // Once all clients are done, what they reserved is final; their counting out is a release.
  __device__ horizon look(const horizon& before) {
    control& mine = channel_.control_[server_];
    std::uint32_t reserved = 0;
    int final = 0;
    if (lane_id() == 0) {
      reserved = reserved_of(mine);
      if (reserved == before.reserved &&
          device_word(mine.clients_done).load(memory_order::relaxed) == channel_.config_.clients) {
        fence<memory_order::acquire, scope::device>();
        reserved = reserved_of(mine);
        final = 1;
      }
    }
    return {__shfl_sync(all_lanes, reserved, 0), __shfl_sync(all_lanes, final, 0) != 0};
  }

  // Tells the clients when all lanes of all warps are past another step of the ring: one step a
  // call, and two warps that get there at the same time may each miss the other's word, so a warp
  // that waits tries again.
  __device__ void announce(std::uint32_t position) {
    const std::uint32_t step = channel_.config_.ring < 256 ? 32 : channel_.config_.ring / 8;
    std::uint32_t from = __shfl_sync(all_lanes, announced().load(memory_order::relaxed), 0);
    const std::uint32_t goal = from + step;
    if (__any_sync(all_lanes, before(position, goal))) return;
    if (lane_id() == 0) passed_by(warp_).store(goal, memory_order::release);
    __syncwarp();
    const bool past =
        lane_id() >= warps_ || !before(passed_by(lane_id()).load(memory_order::acquire), goal);
    if (!__all_sync(all_lanes, past) || lane_id() != 0) return;
    if (announced().compare_exchange(from, goal, memory_order::relaxed)) {
      control& mine = channel_.control_[server_];
      position_word(mine.positions).fetch_add(step, memory_order::relaxed);
      device_word(mine.consumed).fetch_add(step, memory_order::relaxed);
    }
  }

  const fast_channel& channel_;
  const watchdog_ref& dog_;
  unsigned server_;
  unsigned warp_;
  unsigned warps_;
  progress& progress_;
};

}  // namespace finesync
