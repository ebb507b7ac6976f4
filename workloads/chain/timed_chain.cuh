// The kernel: chains through the threads of one block, and the time of each.
#pragma once

#include <finesync/dataflow/channel.cuh>
#include <finesync/dataflow/full_empty_channels.cuh>
#include <finesync/device/cell.cuh>
#include <finesync/device/clock.cuh>
#include <finesync/device/numbering.cuh>
#include <finesync/device/shared_storage.cuh>
#include <finesync/device/watchdog.cuh>
#include <workloads/chain/run_config.hpp>

#include <cstdint>
#include <type_traits>
#include <utility>

namespace finesync::chain {

/// Start and end of a thread's round, by the SM's clock. The clock is read as 64 bits: ptxas may
/// read a 32-bit clock some cycles late, through a register of the whole warp.
struct lap {
  std::uint64_t begin;
  std::uint64_t end;
};

/// A channel array whose tokens forward() passes on, where others use fire(). The first threads of
/// a chain also find their values in channels, so that all warps take the same path.
template <class ChannelArray>
class forwarding : public ChannelArray {
 public:
  using ChannelArray::ChannelArray;
};

template <class ChannelArray>
inline constexpr bool is_forwarding = false;
template <class ChannelArray>
inline constexpr bool is_forwarding<forwarding<ChannelArray>> = true;

template <class Channel>
concept is_heralded = requires(Channel channel) {
  channel.wake();
};

template <class Channel>
concept has_gates = requires(Channel channel) {
  channel.open_gate();
};

/// How the tokens of an array are passed on, unless its channels have only one way: early wakes
/// need forward().
template <class ChannelArray>
using row_of =
    std::conditional_t<is_heralded<decltype(std::declval<const ChannelArray&>().channel_of(0))>,
                       forwarding<ChannelArray>, ChannelArray>;

/// A[i] for i < distance, in this round.
__host__ __device__ constexpr std::uint32_t first_value(std::uint32_t round) {
  return 7 + round;
}

/// A thread's position in its chain. For whole warps it is the same for all lanes, and a vote makes
/// that known to the assembler. Without it, lanes diverge and reconverge at each test.
template <class ChannelArray>
struct position {
  unsigned me = threadIdx.x;
  unsigned distance;
  unsigned threads = blockDim.x;

  /// It waits for no thread.
  __device__ bool begins() const { return same(me < distance); }
  /// No thread waits for it.
  __device__ bool ends() const { return same(me + distance >= threads); }
  /// Three hops come before it.
  __device__ bool is_fourth() const { return same(me >= 3 * distance); }
  __device__ bool has_fourth() const { return same(me + 3 * distance < threads); }

 private:
  __device__ static bool same(bool asked) {
    if constexpr (ChannelArray::by_warps) {
      return __all_sync(0xffffffffu, asked) != 0;
    } else {
      return asked;
    }
  }
};

/// One chain by fire(). \returns false when the watchdog ended the wait.
template <class ChannelArray>
class fired_chain {
 public:
  __device__ fired_chain(const ChannelArray& channels, const position<ChannelArray>& at)
      : begins_(at.begins()),
        ends_(at.ends()),
        me_(at.me),
        in_(channels.channel_of(begins_ ? at.me : at.me - at.distance)),
        out_(channels.channel_of(at.me)) {}

  __device__ void open(std::uint32_t first) {
    first_ = first;
    if (!ends_) out_.open();
  }
  __device__ void close() {
    if (!ends_) out_.close();
  }
  __device__ bool run(std::uint32_t& sum, const watchdog_ref& watchdog) {
    const auto add = [&](std::uint32_t before) {
      sum = before + me_;
      if (!ends_) out_.give(sum);
    };
    if constexpr (detail::waits_in_hardware<channel>) {
      std::uint32_t before = first_;
      const bool in_time = begins_ || read(in_, before, watchdog);
      add(before);  // others wait without a watchdog
      if constexpr (has_gates<channel>) out_.open_gate();
      return in_time;
    } else if (begins_) {
      add(first_);
      return true;
    } else {
      return fire(watchdog, add, in_);
    }
  }

 private:
  using channel = decltype(std::declval<const ChannelArray&>().channel_of(0));

  bool begins_;
  bool ends_;
  unsigned me_;
  std::uint32_t first_ = 0;
  channel in_;
  channel out_;
};

/// The same by forward(). The channels of first threads follow all others.
template <class ChannelArray>
class passed_chain {
 public:
  __device__ passed_chain(const ChannelArray& channels, const position<ChannelArray>& at)
      : begins_(at.begins()),
        awaits_herald_(at.is_fourth()),
        wakes_(at.has_fourth()),
        me_(at.me),
        in_(channels.channel_of(begins_ ? at.threads + at.me : at.me - at.distance)),
        out_(channels.channel_of(at.me)),
        next_but_one_(channels.channel_of(at.me + 2 * at.distance)) {}

  __device__ void open(std::uint32_t first) {
    out_.open();
    if (begins_) in_.give(first);
  }
  __device__ void close() {}
  __device__ bool run(std::uint32_t& sum, const watchdog_ref& watchdog) {
    const auto add = [me = me_](std::uint32_t before) { return before + me; };
    if constexpr (is_heralded<channel>) {
      if (awaits_herald_) in_.sleep_until_woken();
      return forward(in_, out_, add, sum, watchdog, [&] {
        if (wakes_) next_but_one_.wake();
      });
    } else {
      return forward(in_, out_, add, sum, watchdog);
    }
  }

 private:
  using channel = decltype(std::declval<const ChannelArray&>().channel_of(0));

  bool begins_;
  bool awaits_herald_;
  bool wakes_;
  unsigned me_;
  channel in_;
  channel out_;
  channel next_but_one_;
};

/// \param sums, laps per round blockDim.x.
template <class ChannelArray>
__global__ void time_chains(run_config config, cell<std::uint32_t>* sums, cell<lap>* laps,
                            watchdog_ref watchdog) {
  assume_one_dimension();
  using one_chain = std::conditional_t<is_forwarding<ChannelArray>, passed_chain<ChannelArray>,
                                       fired_chain<ChannelArray>>;
  const ChannelArray channels(shared_bytes(), blockDim.x);
  const position<ChannelArray> at{.distance = config.distance};

  bool timed_out = false;
  for (std::uint32_t round = 0; round < config.rounds; ++round) {
    one_chain chain(channels, at);
    chain.open(first_value(round));
    std::uint32_t sum = 0;
    // The warp waits because it needs the result. At a plain barrier it continues up to its next
    // memory access, and would read the clock about 40 cycles before the last thread arrives.
    if (__syncthreads_or(timed_out)) return;

    const std::uint64_t begin = clock_cycles();
    timed_out = !chain.run(sum, watchdog);
    const std::uint64_t end = clock_cycles();

    sums[round * blockDim.x + at.me] = sum;
    laps[round * blockDim.x + at.me] = lap{begin, end};
    __syncthreads();
    chain.close();
  }
}

}  // namespace finesync::chain
