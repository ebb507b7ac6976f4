// The search for a schedule on which a run is wrong.
#pragma once

#include <simt/settings.hpp>

#include <gtest/gtest.h>
#include <tests/seed_budget.hpp>

#include <cstdint>
#include <string>

namespace finesync::test {

inline constexpr auto strong = simt::memory_kind::strong;
inline constexpr auto weak = simt::memory_kind::weak;

/// The function that a search runs on each schedule: any callable that outlives it. Per type only a
/// few instructions are compiled, and nothing of the search.
template <class Result>
class experiment {
 public:
  template <class Callable>
  experiment(const Callable& what)
      : what_(reinterpret_cast<const void*>(&what)),
        call_([](const void* it) -> Result { return (*reinterpret_cast<const Callable*>(it))(); }) {
  }

  Result operator()() const { return call_(what_); }

 private:
  const void* what_;
  Result (*call_)(const void* what);
};

/// How a search in strong memory treats races.
enum class races { fail, pass };

/// The number of `seeds` random schedules on which `right()` is false, or which have a race in
/// strong memory; the race is reported. The search ends soon after the first, so the result is 0, 1
/// or 2. To test a variant's wrong *result*, let races pass.
unsigned failing_seeds(simt::memory_kind memory, unsigned seeds, const experiment<bool>& right,
                       races verdict = races::fail);

/// Expects right() on that many schedules in strong memory, without a race, and in weak memory.
inline void expect_right_in_any_memory(unsigned seeds, const experiment<bool>& right) {
  EXPECT_EQ(failing_seeds(strong, seeds, right), 0u) << "in strong memory";
  EXPECT_EQ(failing_seeds(weak, seeds, right), 0u) << "in weak memory";
}

/// The result of right(), or false if one of its launches hangs, as broken variants may.
bool ends_right(const experiment<bool>& right);

/// failing_seeds() of a broken variant, where a hang counts as a wrong result.
unsigned failing_twin_seeds(simt::memory_kind memory, unsigned seeds, const experiment<bool>& right,
                            races verdict = races::pass);

/// Expects that a broken variant is wrong, or hangs, on one of that many schedules.
inline void expect_rejected(simt::memory_kind memory, unsigned seeds,
                            const experiment<bool>& right) {
  EXPECT_GT(failing_twin_seeds(memory, seeds, right), 0u);
}

/// Of seeds in strong memory, the number with a race, whatever their result.
unsigned racing_seeds(unsigned seeds, const experiment<bool>& run);

/// The message of complaint() on the first failing seed; it returns an empty one if all is right.
std::string first_complaint(simt::memory_kind memory, unsigned seeds,
                            const experiment<std::string>& complaint, races verdict = races::fail);

/// The number of preemptions that make right() false, after each of the turns 1 to `turns` of a
/// round-robin run; the run must have no more turns. The search ends soon after the first. It
/// reveals two steps that should be one, however much the others do in between: they have `length`
/// turns. For kernels of few threads. \param lanes count only turns of this many first lanes of
/// each warp.
unsigned failing_preemptions(std::uint64_t turns, std::uint64_t length,
                             const experiment<bool>& right, std::uint32_t lanes = 32);

}  // namespace finesync::test
