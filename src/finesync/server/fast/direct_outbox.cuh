// SPDX-License-Identifier: Apache-2.0
// A sender without buffers, for clients that wait for each reply. Message path and contract:
// fast/channel.cuh.
//
// Traffic: per request, or per group of lanes that send to the same server together, one addition
//   and the requests. A client polls how far the ring is free when its block's copy is too old.
#pragma once

#include "finesync/device/numbering.cuh"
#include "finesync/server/fast/rings.cuh"

#include <cstddef>
#include <cstdint>

namespace finesync::inline FINESYNC_ABI {

template <class Argument, template <unsigned, scope> class Slot, message_order Order, scope Scope,
          template <class, scope> class Rings>
class fast_channel<Argument, Slot, Order, Scope, Rings>::direct_outbox {
 public:
  static std::size_t shared_bytes(const server_config& config, unsigned /*threads_per_block*/) {
    return config.servers * sizeof(std::uint32_t);
  }

  /// A request with a reserved ring position, which may not be free yet.
  struct placed {
    unsigned server;
    std::uint32_t position;
    packed what;
  };

  /// All threads of the block construct it together.
  __device__ direct_outbox(const fast_channel& channel, unsigned char* shared,
                           const watchdog_ref& watchdog)
      : channel_(channel),
        watchdog_(watchdog),
        seen_(reinterpret_cast<cell<std::uint32_t>*>(shared)) {
    for (unsigned i = thread_rank(); i < channel_.config_.servers; i += block_threads())
      seen_[i] = 0;
    __syncthreads();
  }

  /// Sends a request. Any threads of the block, converged or not.
  /// \returns false when the watchdog ended a wait for space: leave the kernel.
  __device__ bool send(const destination& to, const Argument& argument) {
    return channel_.send_alone(to.server, packed_for(to, argument), seen(to.server), watchdog_);
  }
  __device__ bool send_now(const destination& to, const Argument& argument) {
    return send(to, argument);
  }

  /// The same in two steps, for threads that do other work instead of waiting for space. A thread
  /// that places a request calls try_put() until it returns true.
  __device__ placed place(const destination& to, const Argument& argument) {
    return {to.server, channel_.reserve_one(to.server, seen(to.server)), packed_for(to, argument)};
  }
  __device__ bool try_put(const placed& request) {
    if (channel_.space(request.server, request.position, 1, seen(request.server)) == 0)
      return false;
    release_earlier_writes();
    channel_.put(request.server, request.position, request.what);
    return true;
  }

  /// Counts this block as finished. All threads of the block, after their last send(). \returns
  /// true.
  __device__ bool finish() {
    // The barrier orders all reservations of the block before the count of this block.
    __syncthreads();
    announce_end(thread_rank(), block_threads());
    return true;
  }

  /// The same by `threads` threads, with `thread` the number of the caller. All reservations of the
  /// block must happen before the call.
  __device__ void announce_end(unsigned thread, unsigned threads) {
    channel_.rings_.sign_off(thread, threads);
  }

 private:
  __device__ block_word seen(unsigned server) { return block_word(seen_[server]); }

  const fast_channel& channel_;
  const watchdog_ref& watchdog_;
  cell<std::uint32_t>* seen_;
};

}  // namespace finesync::inline FINESYNC_ABI
