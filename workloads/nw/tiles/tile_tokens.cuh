// The channels of a tile with one thread per cell: each cell passes its score to the cells south,
// east and south-east of it (ICS'15 section 6).
//
// A tile has `side` x `side` threads, row by row. Those of its first row and column have the scores
// of cells around it and do not wait. The tokens of a tile have
//|  bytes                      of shared memory
//|  open()                     by each thread: empties its channels, for all after __syncthreads()
//|  give(score)                to the three
//|  fire(watchdog, actor)      waits for the three neighbours' tokens and runs actor(north_west,
//|                             north, west), which gives; \returns as finesync::fire()
#pragma once

#include <finesync/dataflow/channel.cuh>
#include <finesync/device/cell.cuh>
#include <finesync/device/watchdog.cuh>

#include <cstddef>
#include <cstdint>
#include <utility>

namespace finesync::nw {

/// One channel for all three neighbours, with tokens that are not consumed: resource-preferred,
/// figure 8.
///
/// With locks, no thread waits for north-west, as in Listing 14. Its score is in place once north
/// or west has arrived, as both waited for it. If it lies around the tile, it was given before the
/// barrier.
template <class ChannelArray>
struct shared_tokens {
  template <unsigned Side>
  class of_tile {
   public:
    static constexpr unsigned side = Side;
    static constexpr unsigned threads = Side * Side;

    static constexpr std::size_t channel_bytes = ChannelArray::bytes(threads);
    static constexpr std::size_t bytes =
        channel_bytes + (ChannelArray::orders_memory ? 4 * threads : 0);

    __device__ explicit of_tile(unsigned char* memory)
        : scores_(reinterpret_cast<cell<std::int32_t>*>(memory + channel_bytes)),
          channels_(memory, threads),
          own_(channels_.channel_of(threadIdx.x)) {}

    __device__ void open() { own_.open(); }
    __device__ void give(std::int32_t score) {
      if constexpr (ChannelArray::orders_memory) scores_[threadIdx.x] = score;
      own_.give(static_cast<std::uint32_t>(score));
    }
    template <class Actor>
    __device__ bool fire(const watchdog_ref& watchdog, Actor actor) {
      auto north = channels_.channel_of(threadIdx.x - Side);
      auto west = channels_.channel_of(threadIdx.x - 1);
      if constexpr (ChannelArray::orders_memory) {
        const auto with_north_west = [&](std::uint32_t from_north, std::uint32_t from_west) {
          actor(scores_[threadIdx.x - Side - 1], from_north, from_west);
        };
        return finesync::fire(watchdog, with_north_west, north, west);
      } else {
        auto north_west = channels_.channel_of(threadIdx.x - Side - 1);
        return finesync::fire(watchdog, actor, north_west, north, west);
      }
    }

   private:
    cell<std::int32_t>* scores_;
    ChannelArray channels_;
    decltype(std::declval<const ChannelArray&>().channel_of(0)) own_;
  };
};

/// A channel for each of the three, with tokens that are consumed: performance-preferred, figure 9.
template <class ChannelArray>
struct private_tokens {
  template <unsigned Side>
  class of_tile {
   public:
    static constexpr unsigned side = Side;
    static constexpr unsigned threads = Side * Side;

    static constexpr std::size_t row_bytes = ChannelArray::bytes(threads);
    static constexpr std::size_t bytes = 3 * row_bytes;

    __device__ explicit of_tile(unsigned char* memory)
        : to_south_(memory, threads),
          to_east_(memory + row_bytes, threads),
          to_south_east_(memory + 2 * row_bytes, threads) {}

    __device__ void open() {
      to_south_.channel_of(threadIdx.x).open();
      to_east_.channel_of(threadIdx.x).open();
      to_south_east_.channel_of(threadIdx.x).open();
    }
    __device__ void give(std::int32_t score) {
      const auto token = static_cast<std::uint32_t>(score);
      to_south_.channel_of(threadIdx.x).give(token);
      to_east_.channel_of(threadIdx.x).give(token);
      to_south_east_.channel_of(threadIdx.x).give(token);
    }
    template <class Actor>
    __device__ bool fire(const watchdog_ref& watchdog, Actor actor) {
      auto north_west = to_south_east_.channel_of(threadIdx.x - Side - 1);
      auto north = to_south_.channel_of(threadIdx.x - Side);
      auto west = to_east_.channel_of(threadIdx.x - 1);
      return finesync::fire<token_use::consume>(watchdog, actor, north_west, north, west);
    }

   private:
    ChannelArray to_south_;
    ChannelArray to_east_;
    ChannelArray to_south_east_;
  };
};

}  // namespace finesync::nw
