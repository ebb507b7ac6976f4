// The common part of the race detector's tests: kernels of a few words, and their race's report.
#pragma once

#include "harness.hpp"

#include <functional>
#include <string_view>

namespace simt_test {

inline simt::settings looking_for_races(std::uint64_t seed) {
  simt::settings how = simt::random_schedule(seed);
  how.check = simt::checking::races;
  return how;
}

/// The report of the first race in some random schedules; empty if none has one.
inline std::string race_in(const std::function<void()>& launch, unsigned seeds = 20) {
  for (unsigned seed = 1; seed <= seeds; ++seed) {
    const simt::scoped_settings use(looking_for_races(seed));
    try {
      launch();
    } catch (const race_error& race) {
      return race.what();
    }
  }
  return "";
}

inline void expect_race(const std::string& report, std::initializer_list<std::string_view> words) {
  EXPECT_EQ(report.find("data race: "), 0u) << "no race, or: " << report;
  for (const std::string_view word : words)
    EXPECT_NE(report.find(word), std::string::npos) << "no \"" << word << "\" in: " << report;
}

using body = void (*)(cell32* words);

inline std::string race_of(body what, unsigned blocks, unsigned threads_per_block = 1) {
  return race_in([&] {
    words_after(what, {.blocks = blocks, .threads_per_block = threads_per_block}, {8 * far});
  });
}

inline device_ref flag_of(cell32* words) {
  return device_ref(words[far]);
}

template <scope Scope>
void await(cell32& word, memory_order order, std::uint32_t wanted = 1) {
  while (atomic_ref<std::uint32_t, Scope>(word).load(order) < wanted) {
  }
}

}  // namespace simt_test
