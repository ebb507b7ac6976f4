// The search for a schedule on which a lock loses an update.
#pragma once

#include "counter_kernels.cuh"

#include <simt/settings.hpp>

#include <future>

namespace finesync::test {

/// Seeds of `seeds` random schedules on which `right()` is false. Two OS threads share the seeds;
/// each run is its own, so the answer does not depend on that.
template <class Check>
unsigned failing_seeds(simt::memory_kind memory, unsigned seeds, Check right) {
  const auto explore = [&](unsigned first) {
    unsigned failing = 0;
    for (unsigned seed = first; seed < seeds; seed += 2) {
      const simt::scoped_settings scoped(simt::random_schedule(seed, memory));
      if (!right()) ++failing;
    }
    return failing;
  };
  auto odd = std::async(std::launch::async, explore, 1u);
  const unsigned even = explore(0);
  return even + odd.get();
}

/// The same for a shop under a lock at device scope.
template <class Lock>
unsigned failing_seeds(const workshop& shop, simt::memory_kind memory, unsigned seeds) {
  return failing_seeds(memory, seeds, [&] { return counts_right<Lock>(shop); });
}

}  // namespace finesync::test
