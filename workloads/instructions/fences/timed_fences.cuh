// The kernel: fences, and the time of each.
#pragma once

#include <finesync/device/atomic_ref.cuh>
#include <finesync/device/clock.cuh>
#include <finesync/device/fence.cuh>
#include <finesync/device/l2_lines.cuh>
#include <finesync/device/numbering.cuh>
#include <finesync/device/ptx/sleep.cuh>
#include <finesync/device/shared_storage.cuh>
#include <finesync/host/l2_lines.cuh>
#include <workloads/instructions/run_config.hpp>

#include <cstdint>

namespace finesync::instructions::fences {

inline constexpr unsigned other_warp = 32;  ///< its first thread
inline constexpr unsigned threads_per_block = 2 * other_warp;

struct block_memory {
  alignas(line_bytes) cell<std::uint32_t> touched;
  alignas(line_bytes) cell<std::uint32_t> behind_fence;
  cell<std::uint32_t> fence_cycles[1 + max_rounds];
  cell<std::uint32_t> empty_cycles[1 + max_rounds];
};

/// Words that a block reports at its end.
enum report : unsigned {
  last,  ///< final value of the accessed word
  seen,  ///< sum of all values that loads and additions returned
  sm,
  words_per_report
};

/// Initial value of the accessed word; the store of round r writes r.
inline constexpr std::uint32_t first_value = 1;

struct touch {
  /// \returns the value that a load or an addition found; 0 for a store.
  template <scope Scope>
  __device__ static std::uint32_t once(cell<std::uint32_t>& at, access kind, std::uint32_t round) {
    const atomic_ref<std::uint32_t, Scope> word(at);
    if (kind == access::load) return word.load(memory_order::relaxed);
    if (kind == access::addition) return word.fetch_add(1, memory_order::relaxed);
    word.store(round, memory_order::relaxed);
    return 0;
  }
};

/// Cycles of `action` and of a store and a load of shared memory after it, up to the end of the
/// load: reading the clock does not wait for a fence. 0 if the load does not see the store.
template <class Action>
__device__ std::uint32_t cycles_of(Action action, cell<std::uint32_t>& behind,
                                   std::uint32_t round) {
  const atomic_ref<std::uint32_t, scope::block> word(behind);
  const std::uint64_t began = clock_cycles();
  action();
  word.store(round, memory_order::relaxed);
  if (word.load(memory_order::relaxed) != round) return 0;
  return static_cast<std::uint32_t>(clock_cycles() - began);
}

/// \param reports words_per_report per block.
/// \param cycles per block 1 + rounds with the fence, then as many without it.
template <class Fence, class Touch>
__global__ void time_fences(run_config config, l2_lines_ref lines, cell<std::uint32_t>* reports,
                            cell<std::uint32_t>* cycles) {
  assume_one_dimension();
  auto& own = shared_storage<block_memory>();
  const bool in_device_memory =
      config.fence.accessed == place::near_l2 || config.fence.accessed == place::far_l2;
  const unsigned side = lines.side() ^ (config.fence.accessed == place::far_l2 ? 1u : 0u);
  cell<std::uint32_t>& line = lines.line(side, blockIdx.x);
  const atomic_ref<std::uint32_t, scope::device> line_word(line);
  const bool touches = threadIdx.x == (config.fence.by_other_warp ? other_warp : 0u);
  std::uint32_t found = 0;
  if (touches) {
    line_word.store(first_value, memory_order::relaxed);
    own.touched = first_value;
  }

  for (std::uint32_t round = 0; round <= config.rounds; ++round) {
    if (threadIdx.x == 0) fence<memory_order::release, scope::device>();
    __syncthreads();
    if (touches) {
      if (in_device_memory)
        found += Touch::template once<scope::device>(line, config.fence.kind, round);
      if (config.fence.accessed == place::shared_memory)
        found += Touch::template once<scope::block>(own.touched, config.fence.kind, round);
    }
    pause_cycles(config.fence.delay);
    __syncthreads();
    if (config.fence.fenced_before && threadIdx.x == other_warp)
      fence<memory_order::release, scope::device>();
    __syncthreads();
    if (threadIdx.x == 0) {
      const std::uint32_t of_fence = cycles_of(Fence{}, own.behind_fence, 2 * round + 1);
      const std::uint32_t of_nothing = cycles_of([] {}, own.behind_fence, 2 * round + 2);
      own.fence_cycles[round] = of_fence;
      own.empty_cycles[round] = of_nothing;
    }
  }

  __syncthreads();
  for (unsigned i = threadIdx.x; i <= config.rounds; i += blockDim.x) {
    cell<std::uint32_t>* const mine = cycles + 2 * (1 + config.rounds) * blockIdx.x;
    mine[i] = own.fence_cycles[i];
    mine[1 + config.rounds + i] = own.empty_cycles[i];
  }
  if (touches) {
    cell<std::uint32_t>* const mine = reports + words_per_report * blockIdx.x;
    mine[report::last] = in_device_memory ? line_word.load(memory_order::relaxed)
                                          : static_cast<std::uint32_t>(own.touched);
    mine[report::seen] = found;
    mine[report::sm] = sm_id();
  }
}

}  // namespace finesync::instructions::fences
