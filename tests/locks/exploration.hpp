// The search for a schedule on which a lock loses an update.
#pragma once

#include "counter_kernels.cuh"

#include <finesync/device/error.cuh>
#include <simt/settings.hpp>

#include <cstdio>
#include <cstdint>
#include <future>

namespace finesync::test {

/// What a search in strong memory makes of races.
enum class races { fail, pass };

/// Seeds of `seeds` random schedules on which `right()` is false, or which in strong memory have a
/// race; the first race is told. Two OS threads share the seeds; each run is its own, so the answer
/// does not depend on that. A twin whose wrong *outcome* is to be seen lets races pass.
template <class Check>
unsigned failing_seeds(simt::memory_kind memory, unsigned seeds, Check right,
                       races verdict = races::fail) {
  const auto explore = [&](unsigned first) {
    unsigned failing = 0;
    unsigned racing = 0;
    for (unsigned seed = first; seed < seeds; seed += 2) {
      simt::settings how = simt::random_schedule(seed, memory);
      if (memory == simt::memory_kind::strong && verdict == races::fail)
        how.check = simt::checking::races;
      const simt::scoped_settings scoped(how);
      try {
        if (!right()) ++failing;
      } catch (const race_error& race) {
        if (racing++ == 0) std::printf("seed %u: %s\n", seed, race.what());
      }
    }
    return failing + racing;
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

/// Preemptions that make right() false, of those behind the turns 1 to `turns` of a round-robin
/// run, which must be all that it has. What a thread does in two steps that should be one shows,
/// however much the others must do in between: they have `length` turns. For kernels of few
/// threads. \param lanes turns count of the first so many lanes of each warp.
template <class Check>
unsigned failing_preemptions(std::uint64_t turns, std::uint64_t length, Check right,
                             std::uint32_t lanes = 32) {
  const auto explore = [&](std::uint64_t first) {
    unsigned failing = 0;
    for (std::uint64_t turn = first; turn <= turns; turn += 2) {
      simt::settings how;
      how.preempted = {.behind = turn, .length = length, .lanes = lanes};
      const simt::scoped_settings scoped(how);
      if (!right()) ++failing;
    }
    return failing;
  };
  auto odd = std::async(std::launch::async, explore, 1u);
  const unsigned even = explore(2);
  return even + odd.get();
}

}  // namespace finesync::test
