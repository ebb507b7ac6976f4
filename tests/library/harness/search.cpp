#include "search.hpp"

#include <finesync/host/error.cuh>

#include <atomic>
#include <cstdio>
#include <future>
#include <mutex>

namespace finesync::test {

namespace {

/// The number of indices below `numbers` whose settings make right() false or show a race, which is
/// reported. Two OS threads share them and end with the first failure, as more failures add no
/// information and a wait for the watchdog is slow. So the result is 0, 1 or 2.
template <class SettingsOf>
unsigned count_failing(std::uint64_t numbers, SettingsOf settings_of,
                       const experiment<bool>& right) {
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

}  // namespace

unsigned failing_seeds(simt::memory_kind memory, unsigned seeds, const experiment<bool>& right,
                       races verdict) {
  const auto of_seed = [&](std::uint64_t seed) {
    simt::settings how = simt::random_schedule(seed, memory);
    if (memory == strong && verdict == races::fail) how.check = simt::checking::races;
    return how;
  };
  return count_failing(seeds, of_seed, right);
}

bool ends_right(const experiment<bool>& right) {
  try {
    return right();
  } catch (const hang_error&) {
    return false;
  }
}

unsigned failing_twin_seeds(simt::memory_kind memory, unsigned seeds, const experiment<bool>& right,
                            races verdict) {
  return failing_seeds(
      memory, seeds, [&] { return ends_right(right); }, verdict);
}

unsigned racing_seeds(unsigned seeds, const experiment<bool>& run) {
  return failing_seeds(strong, seeds, [&] {
    ends_right(run);
    return true;
  });
}

std::string first_complaint(simt::memory_kind memory, unsigned seeds,
                            const experiment<std::string>& complaint, races verdict) {
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

unsigned failing_preemptions(std::uint64_t turns, std::uint64_t length,
                             const experiment<bool>& right, std::uint32_t lanes) {
  const auto behind = [&](std::uint64_t number) {
    simt::settings how;
    how.preempted = {.after_turn = number + 1, .length = length, .lanes = lanes};
    return how;
  };
  return count_failing(turns, behind, right);
}

}  // namespace finesync::test
