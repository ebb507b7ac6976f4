// A plain counter under a lock: the smallest section that loses updates when the lock is wrong, and
// the search for a schedule on which it does.
#pragma once

#include <finesync/device/buffer.cuh>
#include <finesync/device/launch.cuh>
#include <finesync/device/shared_storage.cuh>
#include <finesync/device/watchdog.cuh>
#include <finesync/locks/exclusive.cuh>
#include <finesync/locks/lock_table.cuh>
#include <simt/settings.hpp>

#include <cstdint>
#include <future>

namespace finesync::test {

struct count_up {
  cell<std::uint32_t>& counter;
  __device__ void operator()() const { counter = counter + 1; }
};

/// Every thread counts `rounds` times, under lock i of a few in turn, so that locks and counters
/// are near each other and also travel between blocks.
template <class Lock>
__global__ void count_under_locks(lock_table_ref<Lock> locks, cell<std::uint32_t>* counters,
                                  unsigned number_of_locks, unsigned rounds, watchdog_ref dog) {
  for (unsigned i = 0; i < rounds; ++i) {
    const unsigned which = (i + threadIdx.x / 32) % number_of_locks;
    if (!run_exclusive(locks[which], count_up{counters[which]}, dog)) return;
  }
}

struct workshop {
  unsigned blocks = 2;
  unsigned threads_per_block = 40;  // a full warp and a part of one
  unsigned locks = 2;
  unsigned rounds = 3;
  lock_spacing spacing = lock_spacing::packed;
};

/// Runs one schedule. \returns true when no update was lost.
template <class Lock>
bool counts_right(const workshop& shop, const simt::settings& how) {
  simt::scoped_settings scoped(how);
  lock_table<Lock> locks(shop.locks, shop.spacing);
  buffer<std::uint32_t> counters(shop.locks);
  counters.fill_bytes(0);
  watchdog dog;
  launch_cooperative(count_under_locks<Lock>, {shop.blocks, shop.threads_per_block}, locks.ref(),
                     counters.as<cell<std::uint32_t>>(), shop.locks, shop.rounds, dog.ref());
  std::uint32_t sum = 0;
  for (const std::uint32_t count : counters.to_host()) sum += count;
  return !dog.fired() && sum == shop.blocks * shop.threads_per_block * shop.rounds;
}

/// Seeds on which the counters come out wrong, of `seeds` random schedules. Two OS threads share
/// the seeds; each run is its own, so the answer does not depend on that.
template <class Lock>
unsigned failing_seeds(const workshop& shop, simt::memory_kind memory, unsigned seeds) {
  const auto explore = [&](unsigned first) {
    unsigned failing = 0;
    for (unsigned seed = first; seed < seeds; seed += 2) {
      simt::settings how;
      how.schedule = simt::schedule_kind::random;
      how.memory = memory;
      how.seed = seed;
      if (!counts_right<Lock>(shop, how)) ++failing;
    }
    return failing;
  };
  auto odd = std::async(std::launch::async, explore, 1u);
  const unsigned even = explore(0);
  return even + odd.get();
}

}  // namespace finesync::test
