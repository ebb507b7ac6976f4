// The critical sections.
#pragma once

#include <finesync/device/cell.cuh>
#include <workloads/mutex/run_config.hpp>

#include <cstdint>

namespace finesync::mutex {

/// Thread 0 increments one word, in memory or passed by the lock.
struct plain_counter {
  static constexpr bool whole_block = false;
  cell<std::uint32_t>* words;

  __device__ void operator()() const { words[0] = words[0] + 1; }
  __device__ void operator()(std::uint32_t& word) const { ++word; }
};

/// All threads of the block increment `ldst` words each. Other blocks' threads use the same words.
struct block_counters {
  static constexpr bool whole_block = true;
  cell<std::uint32_t>* words;
  unsigned ldst;

  __device__ void operator()() const {
    for (unsigned i = 0; i < ldst; ++i) {
      cell<std::uint32_t>& mine = words[i * blockDim.x + threadIdx.x];
      mine = mine + 1;
    }
  }
};

struct nothing {
  static constexpr bool whole_block = false;

  __device__ void operator()() const {}
  __device__ void operator()(std::uint32_t&) const {}
};

/// Calls use(section) with the configured section.
template <class Use>
auto with_section(const run_config& config, cell<std::uint32_t>* words, Use use) {
  if (config.empty_section) return use(nothing{});
  if (config.ldst == 0) return use(plain_counter{words});
  return use(block_counters{words, config.ldst});
}

}  // namespace finesync::mutex
