// SPDX-License-Identifier: Apache-2.0
// The sending side of the paper's message path for warps that must not wait for space in a ring,
// such as a server's own: the same local buffers, in steps. Message path: paper/outbox.cuh.
//
// Use: placed = place(to, argument), then try_put(placed) until it is true. A warp whose requests
//   are not answered yet calls copy_next() now and then.
// Participants: any threads of the block for place() and try_put(); whole warps for copy_next().
// Ordering: that of the path: what a thread did before try_put() happens before its request is
//   handled.
// Progress: nothing here waits. A reservation in the ring belongs to its local buffer, not to a
//   warp. If its slots are not free yet, it stays with the buffer, and the next warp whose turn
//   comes to copy this buffer tries again.
// Traffic: that of the path.
#pragma once

#include <finesync/device/numbering.cuh>
#include <finesync/device/warp.cuh>
#include <workloads/printed/server/paper/outbox.cuh>

#include <cstddef>
#include <cstdint>

namespace finesync::inline FINESYNC_ABI {

template <class Argument, scope Scope>
class paper_stepping_outbox : private paper_outbox<Argument, Scope> {
  using buffers = paper_outbox<Argument, Scope>;
  using typename buffers::block_word;

 public:
  using typename buffers::rings;

  static std::size_t shared_bytes(const server_config& config, unsigned threads_per_block) {
    return buffers::shared_bytes(config, threads_per_block) + config.servers * sizeof(reservation);
  }

  /// A request with an entry of a local buffer, which may not be free yet.
  struct placed {
    unsigned server;
    std::uint32_t entry;
    typename rings::request what;
  };

  /// All threads of the block construct it together.
  __device__ paper_stepping_outbox(const rings& to, unsigned char* shared,
                                   const watchdog_ref& watchdog)
      : buffers(to, shared + to.config().servers * sizeof(reservation), watchdog),
        reserved_(reinterpret_cast<reservation*>(shared)) {
    for (unsigned server = thread_rank(); server < to.config().servers; server += block_threads())
      reserved_[server].count = 0;
    __syncthreads();
  }

  __device__ placed place(const destination& to, const Argument& argument) {
    return {to.server,
            block_word(this->staging_[to.server].write_idx).fetch_add(1, memory_order::relaxed),
            rings::request::of(to.local, argument)};
  }
  /// Writes the request into its local buffer if the entry is free.
  __device__ bool try_put(const placed& request) {
    const block_word freed(this->staging_[request.server].read_idx);
    if (request.entry - freed.load(memory_order::acquire) >= this->entries_) return false;
    this->write(request.server, request.entry, request.what);
    return true;
  }

  /// Copies the requests of one local buffer, chosen round robin: those that are ready, if the ring
  /// has space and no other warp is doing so.
  __device__ void copy_next() {
    const lane_group warp = lane_group::whole_warp();
    std::uint32_t server = 0;
    copyable begin = {};
    if (warp.is_leader()) {
      server = this->next_server();
      begin = begin_copy(server);
    }
    const std::uint32_t count = warp.get(begin.count, 0);
    if (count == 0) return;
    this->move(warp, warp.get(server, 0), warp.get(begin.entry, 0), warp.get(begin.position, 0),
               count);
  }

 private:
  // Slots in the ring for requests of a local buffer, from its read index on. The buffer's lock
  // protects it; without slots the count is 0.
  struct reservation {
    cell<std::uint32_t> position;
    cell<std::uint32_t> count;
  };
  struct copyable {
    std::uint32_t entry;
    std::uint32_t position;
    std::uint32_t count;
  };

  // Locks a local buffer whose requests can be copied now, and only then counts any.
  __device__ copyable begin_copy(unsigned server) {
    auto& from = this->staging_[server];
    reservation& reserved = reserved_[server];
    if (is_empty(server) || !this->try_lock(from)) return {};
    copyable found = {block_word(from.read_idx).load(memory_order::relaxed), reserved.position,
                      reserved.count};
    if (found.count == 0) {
      found.count = this->ready_from(server, found.entry);
      if (found.count != 0) {
        found.position =
            this->rings_.write_idx(server).fetch_add(found.count, memory_order::relaxed);
        reserved.position = found.position;
        reserved.count = found.count;
      }
    }
    std::uint32_t now = 0;
    if (found.count != 0 && this->has_space(server, found.position + found.count, now)) {
      reserved.count = 0;
      return found;
    }
    this->unlock(from);
    return {};
  }

  // Whether no lane has an entry that is not copied yet. A look that is out of date does no harm.
  __device__ bool is_empty(unsigned server) {
    auto& which = this->staging_[server];
    return block_word(which.read_idx).load(memory_order::relaxed) ==
           block_word(which.write_idx).load(memory_order::relaxed);
  }

  reservation* reserved_;
};

}  // namespace finesync::inline FINESYNC_ABI
