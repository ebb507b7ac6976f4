// The kernel: chains through the threads of one block, and how long each took.
#pragma once

#include <finesync/dataflow/channel.cuh>
#include <finesync/dataflow/full_empty_channels.cuh>
#include <finesync/device/cell.cuh>
#include <finesync/device/clock.cuh>
#include <finesync/device/shared_storage.cuh>
#include <finesync/device/watchdog.cuh>
#include <workloads/chain/run_config.hpp>

#include <cstdint>
#include <type_traits>
#include <utility>

namespace finesync::chain {

/// When a thread began and ended a round, by the SM's clock. Of 64 bits: one of 32, ptxas may read
/// some cycles late, through a register of the whole warp.
struct lap {
  std::uint64_t begin;
  std::uint64_t end;
};

/// An array whose tokens forward() hands on, where others fire(). The first threads of a chain find
/// theirs in channels, too, so that all warps go the same way.
template <class ChannelArray>
class passed_on : public ChannelArray {
 public:
  using ChannelArray::ChannelArray;
};

template <class ChannelArray>
inline constexpr bool passes_on = false;
template <class ChannelArray>
inline constexpr bool passes_on<passed_on<ChannelArray>> = true;

template <class Channel>
concept is_heralded = requires(Channel channel) {
  channel.wake();
};

/// How tokens of a row are handed on, unless its channels leave no choice: heralds are forward()'s.
template <class ChannelArray>
using row_of =
    std::conditional_t<is_heralded<decltype(std::declval<const ChannelArray&>().channel_of(0))>,
                       passed_on<ChannelArray>, ChannelArray>;

/// A[i] for i < distance, in this round.
__host__ __device__ constexpr std::uint32_t first_value(std::uint32_t round) {
  return 7 + round;
}

/// Where a thread stands in its chain. Of whole warps it is the same for all lanes, which the
/// assembler believes of a vote: else it lets them part, and join again, at each question.
template <class ChannelArray>
struct position {
  unsigned me = threadIdx.x;
  unsigned distance;
  unsigned threads = blockDim.x;

  /// It waits for nobody.
  __device__ bool begins() const { return same(me < distance); }
  /// Nobody waits for it.
  __device__ bool ends() const { return same(me + distance >= threads); }
  /// Three hand-overs lie before it.
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

/// The same by forward(). Those who begin have channels behind all others.
template <class ChannelArray>
class passed_chain {
 public:
  __device__ passed_chain(const ChannelArray& channels, const position<ChannelArray>& at)
      : begins_(at.begins()),
        awaits_herald_(at.is_fourth()),
        heralds_(at.has_fourth()),
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
        if (heralds_) next_but_one_.wake();
      });
    } else {
      return forward(in_, out_, add, sum, watchdog);
    }
  }

 private:
  using channel = decltype(std::declval<const ChannelArray&>().channel_of(0));

  bool begins_;
  bool awaits_herald_;
  bool heralds_;
  unsigned me_;
  channel in_;
  channel out_;
  channel next_but_one_;
};

/// \param sums, laps per round blockDim.x.
template <class ChannelArray>
__global__ void time_chains(run_config config, cell<std::uint32_t>* sums, cell<lap>* laps,
                            watchdog_ref watchdog) {
  using one_chain = std::conditional_t<passes_on<ChannelArray>, passed_chain<ChannelArray>,
                                       fired_chain<ChannelArray>>;
  const ChannelArray channels(shared_bytes(), blockDim.x);
  const position<ChannelArray> at{.distance = config.distance};

  bool timed_out = false;
  for (std::uint32_t round = 0; round < config.rounds; ++round) {
    one_chain chain(channels, at);
    chain.open(first_value(round));
    std::uint32_t sum = 0;
    // Whose result is asked for is waited for. At a barrier alone a warp goes on as far as its next
    // access to memory, and would read the clock some 40 cycles before all others have come.
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
