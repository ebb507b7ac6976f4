// A plain counter under a lock: the smallest section that loses updates if the lock is wrong. Runs
// on either machine.
#pragma once

#include <finesync/locks/block_lock_storage.cuh>
#include <finesync/locks/exclusive.cuh>
#include <finesync/locks/lock_table.cuh>

#include <tests/library/dimensions/laid_out.hpp>
#include <tests/library/harness/run.hpp>

#include <type_traits>

namespace finesync::test {

struct count_up {
  cell<std::uint32_t>& counter;

  __device__ void operator()() const { counter = counter + 1; }
  /// Under a lock that passes the counter.
  __device__ void operator()(std::uint32_t& word) const { ++word; }
  /// For a word in parts: a mixture of two values is detected and persists.
  template <class Wide>
  __device__ void operator()(Wide& word) const {
    const bool whole = word.parts[0] == 3 * word.count && word.parts[1] == 5 * word.count;
    word.count += whole ? 1 : 1u << 30;
    word.parts[0] = 3 * word.count;
    word.parts[1] = 5 * word.count;
  }
};

inline constexpr unsigned max_locks = 4;

template <class Lock>
using slots = block_lock_storage<Lock, max_locks>;

/// Every thread counts `rounds` times, under a few locks in turn, so that locks and counters are
/// adjacent and also move between blocks. Or only one thread of each warp does.
template <class Lock>
__global__ void count_under_locks(lock_table_ref<Lock> locks, cell<std::uint32_t>* counters,
                                  unsigned number_of_locks, unsigned rounds, bool single_lane,
                                  watchdog_ref watchdog) {
  auto& mine = shared_storage<slots<Lock>>();
  mine.open();
  for (unsigned i = 0; i < rounds; ++i) {
    const unsigned warp = (linear_block() * threads_of_block() + linear_thread()) / 32;
    const unsigned which = (i + warp) % number_of_locks;
    const Lock lock = mine.lock(locks, which);
    const count_up section{counters[which]};
    if (!single_lane) {
      if (!run_exclusive(lock, section, watchdog)) break;
    } else if (linear_thread() % 32 == 0) {
      if (!run_exclusive<other_lanes::idle>(lock, section, watchdog)) break;
    }
  }
  mine.close();
}

/// Writes the counters that locks passed back to memory.
template <class Lock>
__global__ void unload(lock_table_ref<Lock> locks, cell<std::uint32_t>* counters) {
  const auto word = locks[threadIdx.x].get();
  if constexpr (std::is_integral_v<decltype(word)>) {
    counters[threadIdx.x] = word;
  } else {
    counters[threadIdx.x] = word.count;
  }
}

struct lock_load {
  unsigned blocks = 2;
  unsigned threads_per_block = 36;  // a full warp and a part of one
  unsigned locks = 2;
  unsigned rounds = 2;
  lock_layout layout = lock_layout::packed;
  unsigned cluster_blocks = 1;
  bool single_lane = false;  ///< one thread of each warp counts; the other lanes are declared idle
  unsigned dimensions = 1;

  unsigned threads_that_count() const {
    return blocks * (single_lane ? (threads_per_block + 31) / 32 : threads_per_block);
  }
};

/// Runs the kernel once with these locks. \returns true if no update was lost.
template <class Lock>
bool counts_right(const lock_table<Lock>& locks, const lock_load& load) {
  auto counters = zeroed(load.locks);
  const bool ended = ends(count_under_locks<Lock>,
                          laid_out({.blocks = load.blocks,
                                    .threads_per_block = load.threads_per_block,
                                    .shared_bytes = sizeof(slots<Lock>),
                                    .cluster_blocks = load.cluster_blocks},
                                   load.dimensions),
                          locks, counters, load.locks, load.rounds, load.single_lane);
  if constexpr (passes_value<Lock>) {
    launch_independent(unload<Lock>, {.blocks = 1, .threads_per_block = load.locks}, locks.ref(),
                       counters.device_data());
  }
  return ended && sum_of(counters) == load.threads_that_count() * load.rounds;
}

template <class Lock>
struct locked_counter {
  typename Lock::state lock;
  cell<std::uint32_t> count;
};

template <class Lock>
lock_table<Lock> locks_for(const lock_load& load) {
  return {load.locks, load.layout, std::size_t{load.blocks} * load.threads_per_block};
}

/// The same with new locks.
template <class Lock>
bool counts_right(const lock_load& load) {
  return counts_right(locks_for<Lock>(load), load);
}

/// Each block counts in its shared memory and writes the result to its place in `sums`.
template <class Lock>
__global__ void count_in_block(cell<std::uint32_t>* sums, unsigned rounds, watchdog_ref watchdog) {
  auto& shared = shared_storage<locked_counter<Lock>>();
  if (threadIdx.x == 0) {
    auto* words = reinterpret_cast<cell<std::uint32_t>*>(&shared.lock);
    for (unsigned i = 0; i < sizeof(shared.lock) / 4; ++i) words[i] = 0u;
    shared.count = 0u;
  }
  __syncthreads();
  for (unsigned i = 0; i < rounds; ++i) {
    if (!run_exclusive(Lock(shared.lock), count_up{shared.count}, watchdog)) break;
  }
  __syncthreads();
  if (threadIdx.x == 0) sums[blockIdx.x] = shared.count;
}

/// Runs the kernel in each block's shared memory. \returns true if no block lost an update.
template <class Lock>
bool counts_right_in_blocks(const lock_load& load) {
  const buffer<std::uint32_t> sums(load.blocks);
  ends(count_in_block<Lock>, {load.blocks, load.threads_per_block, sizeof(locked_counter<Lock>)},
       sums, load.rounds);
  return all_are(sums, load.threads_per_block * load.rounds);
}

}  // namespace finesync::test
