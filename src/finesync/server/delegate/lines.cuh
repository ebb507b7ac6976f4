// What client warps and a server that is one block write to each other: a request line and a
// response line for each client warp, in global memory, as in fly-weight delegation (Roghanchi et
// al., "ffwd", SOSP'17), a word for each lane.
//
// A *call* is up to 62 bits, an *answer* up to 31. The words carry the parity of their turn, so
// that each tells by itself whether it has come: a line is written by one coalesced store and read
// by one load, and no other order is needed. A client that has made its last call closes its line,
// by words that say so.
//
// The contract: delegate/server_grid.cuh.
#pragma once

#include "finesync/device/atomic_ref.cuh"
#include "finesync/device/cell.cuh"
#include "finesync/device/warp.cuh"
#include "finesync/device/watchdog.cuh"

#include <cstddef>
#include <cstdint>

namespace finesync {
inline namespace FINESYNC_ABI {
namespace detail {

/// All lines; trivially copyable, passed by value. In zeroed memory nothing has come.
class delegation_lines {
 public:
  static constexpr unsigned width = 32;
  static constexpr std::uint64_t parity_bit = std::uint64_t{1} << 62;
  static constexpr std::uint64_t call_mask = parity_bit - 1;
  static constexpr std::uint64_t closed = std::uint64_t{1} << 63;
  static constexpr std::uint32_t answer_parity_bit = std::uint32_t{1} << 31;

  static std::size_t memory_bytes(unsigned lines) {
    return std::size_t{lines} * width * (sizeof(std::uint64_t) + sizeof(std::uint32_t));
  }

  delegation_lines(unsigned lines, unsigned char* memory)
      : calls_(reinterpret_cast<cell<std::uint64_t>*>(memory)),
        answers_(reinterpret_cast<cell<std::uint32_t>*>(calls_ + std::size_t{lines} * width)) {}

  /// What one lane has of the lines from `first` on: a word of each, and of its answer.
  class lane {
   public:
    using call_word = atomic_ref<std::uint64_t, scope::device>;
    using answer_word = atomic_ref<std::uint32_t, scope::device>;

    __device__ lane(const delegation_lines& lines, unsigned first)
        : calls_(lines.calls_ + first * width + lane_id()),
          answers_(lines.answers_ + first * width + lane_id()) {}

    __device__ call_word call(unsigned line) const { return call_word(calls_[line * width]); }
    __device__ answer_word answer(unsigned line) const {
      return answer_word(answers_[line * width]);
    }

   private:
    cell<std::uint64_t>* calls_;
    cell<std::uint32_t>* answers_;
  };

 private:
  cell<std::uint64_t>* calls_;
  cell<std::uint32_t>* answers_;
};

}  // namespace detail

/// A client warp's end of its line: all lanes call the members together.
class caller {
 public:
  __device__ caller(const detail::delegation_lines& lines, unsigned line,
                    const watchdog_ref& watchdog)
      : words_(lines, line), watchdog_(watchdog) {}

  /// Each lane's call; 0 is none. The answers to the last ones must have come.
  __device__ void post(std::uint64_t call) {
    parity_ ^= 1;
    words_.call(0).store(call | (parity_ != 0 ? detail::delegation_lines::parity_bit : 0),
                         memory_order::relaxed);
  }

  /// Whether the answers to all lanes have come. Does not wait.
  __device__ bool poll() {
    answer_ = words_.answer(0).load(memory_order::relaxed);
    return __all_sync(0xffffffffu, answer_ >> 31 == parity_) != 0;
  }
  __device__ std::uint32_t answer() const {
    return answer_ & ~detail::delegation_lines::answer_parity_bit;
  }

  /// Waits for them. \returns false when the watchdog ended the wait: leave the kernel.
  __device__ bool wait() {
    bounded_wait waiting(watchdog_, awaited::reply);
    while (!poll())
      if (__any_sync(0xffffffffu, waiting.timed_out())) return false;
    return true;
  }

  /// After the last answer.
  __device__ void close() { post(detail::delegation_lines::closed); }

 private:
  detail::delegation_lines::lane words_;
  const watchdog_ref& watchdog_;
  std::uint32_t parity_ = 0;
  std::uint32_t answer_ = 0;
};

}  // namespace FINESYNC_ABI
}  // namespace finesync
