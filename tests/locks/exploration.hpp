// The search for a schedule on which a lock loses an update.
#pragma once

#include "counter_kernels.cuh"

#include <finesync/device/error.cuh>
#include <simt/settings.hpp>

#include <tests/seed_budget.hpp>

#include <atomic>
#include <cstdint>
#include <cstdio>
#include <future>
#include <mutex>
#include <string>

namespace finesync::test {

/// Of the numbers below `numbers`, those under whose settings right() is false or has a race, which
/// is reported. Two OS threads share them and end with the first that fails: of many a second says
/// no more, and a wait that the watchdog must end takes long. 0, 1 or 2, then.
template <class SettingsOf, class Check>
unsigned count_failing(std::uint64_t numbers, SettingsOf settings_of, Check right) {
  std::atomic<unsigned> failing = 0;
  std::atomic<bool> reported = false;
  const auto explore = [&](std::uint64_t first) {
    for (std::uint64_t number = first; number < numbers && failing == 0; number += 2) {
      const simt::scoped_settings scoped(settings_of(number));
      try {
        if (!right()) ++failing;
      } catch (const race_error& race) {
        ++failing;
        if (!reported.exchange(true))
          std::printf("run %u: %s\n", static_cast<unsigned>(number), race.what());
      }
    }
  };
  auto odd = std::async(std::launch::async, explore, 1u);
  explore(0);
  odd.get();
  return failing;
}

/// What a search in strong memory makes of races.
enum class races { fail, pass };

/// Seeds of `seeds` random schedules on which `right()` is false, or which in strong memory have a
/// race, as far as count_failing() goes. A twin whose wrong *outcome* is to be seen lets races
/// pass.
template <class Check>
unsigned failing_seeds(simt::memory_kind memory, unsigned seeds, Check right,
                       races verdict = races::fail) {
  const auto of_seed = [&](std::uint64_t seed) {
    simt::settings how = simt::random_schedule(seed, memory);
    if (memory == simt::memory_kind::strong && verdict == races::fail)
      how.check = simt::checking::races;
    return how;
  };
  return count_failing(seeds, of_seed, right);
}

/// What complaint() says, which says nothing when all is right, on the first of the seeds that
/// fails.
template <class Complaint>
std::string first_complaint(simt::memory_kind memory, unsigned seeds, Complaint complaint,
                            races verdict = races::fail) {
  std::mutex one_at_a_time;
  std::string first;
  const auto right = [&] {
    const std::string said = complaint();
    const std::scoped_lock lock(one_at_a_time);
    if (first.empty()) first = said;
    return said.empty();
  };
  if (failing_seeds(memory, seeds, right, verdict) != 0 && first.empty()) return "a race";
  return first;
}

/// failing_seeds() of a shop under a lock at device scope.
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
  const auto behind = [&](std::uint64_t number) {
    simt::settings how;
    how.preempted = {.behind = number + 1, .length = length, .lanes = lanes};
    return how;
  };
  return count_failing(turns, behind, right);
}

}  // namespace finesync::test
