// SPDX-License-Identifier: Apache-2.0
// The message lines between client warps and a server of one block. Each client warp has a request
// line and a response line in global memory, with a word per lane, as in fly-weight delegation
// (Roghanchi et al., "ffwd", SOSP'17).
//
// A *call* has up to 62 bits, a *reply* up to 31. Each word contains the parity of its call, which
// shows whether it has arrived. So one coalesced store writes a line, one load reads it, and no
// other order is needed. After its last call a client closes its line with words that say so.
//
// The contract: single/single_server.cuh.
#pragma once

#include "finesync/device/atomic_ref.cuh"
#include "finesync/device/cell.cuh"
#include "finesync/device/warp.cuh"
#include "finesync/device/watchdog.cuh"

#include <cstddef>
#include <cstdint>

namespace finesync::inline FINESYNC_ABI {
namespace detail {

/// All lines; trivially copyable, passed by value. Zeroed memory holds no calls and no replies.
class server_lines {
 public:
  static constexpr unsigned width = 32;

  /// Words of calls. Above the call: a bit that closes the line, and the parity.
  static constexpr std::uint64_t closed = std::uint64_t{1} << 62;

  /// \param parity the lowest bit of the call's number.
  __device__ static std::uint64_t word_of(std::uint64_t call, std::uint32_t parity) {
    return call | std::uint64_t{parity} << 63;
  }
  __device__ static std::uint64_t call_of(std::uint64_t word) { return word & (closed - 1); }
  __device__ static bool is_closed(std::uint64_t word) {
    return (upper(word) & upper(closed)) != 0;
  }
  __device__ static bool is_of_turn(std::uint64_t word, std::uint32_t parity) {
    return (upper(word) ^ parity << 31) >> 31 == 0;
  }

  /// Words of replies: above the reply, the parity.
  static constexpr std::uint32_t reply_mask = ~std::uint32_t{0} >> 1;

  __device__ static std::uint32_t parity_of(std::uint64_t word) {
    return upper(word) & ~reply_mask;
  }

  static std::size_t memory_bytes(unsigned lines) {
    return std::size_t{lines} * width * (sizeof(std::uint64_t) + sizeof(std::uint32_t));
  }

  server_lines(unsigned lines, unsigned char* memory)
      : calls_(reinterpret_cast<cell<std::uint64_t>*>(memory)),
        replies_(reinterpret_cast<cell<std::uint32_t>*>(calls_ + std::size_t{lines} * width)) {}

  /// One lane's words in the lines from `first` on: a call and a reply for each line.
  class lane {
   public:
    using call_word = atomic_ref<std::uint64_t, scope::device>;
    using reply_word = atomic_ref<std::uint32_t, scope::device>;

    __device__ lane(const server_lines& lines, unsigned first)
        : lines_(lines), first_(first * width + lane_id()) {}

    __device__ call_word call(unsigned line) const {
      return call_word(lines_.calls_[first_ + line * width]);
    }
    __device__ reply_word reply(unsigned line) const {
      return reply_word(lines_.replies_[first_ + line * width]);
    }

   private:
    const server_lines& lines_;
    std::uint32_t first_;
  };

 private:
  __device__ static constexpr std::uint32_t upper(std::uint64_t word) {
    return static_cast<std::uint32_t>(word >> 32);
  }

  cell<std::uint64_t>* calls_;
  cell<std::uint32_t>* replies_;
};

}  // namespace detail

/// A client warp's end of its line. All lanes call each member together.
class line_client {
 public:
  __device__ line_client(const detail::server_lines& lines, unsigned line,
                         const watchdog_ref& watchdog)
      : words_(lines, line), watchdog_(watchdog) {}

  /// Posts each lane's call; 0 is none. The replies to the previous calls must have come.
  __device__ void post(std::uint64_t call) {
    if (call == 0) return;
    parity_ ^= 1;
    words_.call(0).store(detail::server_lines::word_of(call, parity_), memory_order::relaxed);
  }

  /// Whether the replies to all lanes have come. Does not wait.
  __device__ bool poll() {
    reply_ = words_.reply(0).load(memory_order::relaxed);
    return __all_sync(0xffffffffu, reply_ >> 31 == parity_) != 0;
  }
  __device__ std::uint32_t reply() const { return reply_ & detail::server_lines::reply_mask; }

  /// Waits for all replies. \returns false when the watchdog ended the wait: leave the kernel.
  __device__ bool wait() {
    bounded_wait waiting(watchdog_, awaited::reply);
    while (!poll())
      if (__any_sync(0xffffffffu, waiting.timed_out())) return false;
    return true;
  }

  /// Closes the line, after the last reply.
  __device__ void close() { post(detail::server_lines::closed); }

 private:
  detail::server_lines::lane words_;
  const watchdog_ref& watchdog_;
  std::uint32_t parity_ = 0;
  std::uint32_t reply_ = 0;
};

}  // namespace finesync::inline FINESYNC_ABI
