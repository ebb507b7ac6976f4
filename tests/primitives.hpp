// The primitives of a program as parameters of tests, and runs of their experiments.
#pragma once

#include <finesync/host/buffer.cuh>
#include <workloads/common/catalogue_entry.hpp>

#ifdef FINESYNC_HOST_EXECUTOR
#include <simt/settings.hpp>

#include <tests/held_memory.hpp>
#endif

#include <gtest/gtest.h>
#include <tests/seed_budget.hpp>

#include <algorithm>
#include <ostream>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace finesync::workload {

template <class RunConfig>
void PrintTo(const catalogue_entry<RunConfig>& who, std::ostream* out) {
  *out << who.name;
}

/// The primitives that this machine can run, except those that a test excludes with a reason.
template <class RunConfig>
std::vector<catalogue_entry<RunConfig>> runnable(std::span<const catalogue_entry<RunConfig>> all,
                                                 std::string_view without = "") {
  std::vector<catalogue_entry<RunConfig>> found;
  std::copy_if(std::begin(all), std::end(all), std::back_inserter(found), [&](const auto& each) {
    return each.make != &needs_a_gpu<RunConfig> && each.name != without;
  });
  return found;
}

/// The names of such tests.
inline constexpr auto name_of_primitive = [](const auto& tested) {
  return std::string(tested.param.name);
};

/// The outcome of a run that begins with a reset, on memory that has nothing of a run before.
inline bench::outcome ending(bench::experiment& which) {
  thread_local unsigned runs = 0;
  poison_scratch(runs++);
  which.reset();
  which.launch();
  return which.verify();
}

/// A run is right. \param of what words say it.
template <class... Words>
void expect_right_once(bench::experiment& which, const Words&... of) {
  const bench::outcome ended = ending(which);
  EXPECT_TRUE(ended.ok()) << (::testing::Message() << ... << of) << ": " << ended.reason;
}

/// Several runs are correct, so none leaves state that harms the next.
inline void expect_right(bench::experiment& which) {
  for (int run = 0; run < test::daily_or_whole(2, 3); ++run) expect_right_once(which);
}

#ifdef FINESYNC_HOST_EXECUTOR
/// What is made is right on each of so many schedules; ends with the first on which it is not.
template <class Make>
void expect_right_on_schedules(unsigned seeds, simt::memory_kind memory, const Make& make) {
  for (unsigned seed = 0; seed < seeds; ++seed) {
    const simt::scoped_settings scoped(simt::random_schedule(seed, memory));
    const bench::outcome ended = ending(*make());
    ASSERT_TRUE(ended.ok()) << "seed " << seed << ": " << ended.reason;
  }
}

/// The same as expect_right(), and after a reset all device memory is as after the first, byte by
/// byte. \param scratch what reports call memory that the next run writes before it reads it.
inline void expect_nothing_left(bench::experiment& which,
                                std::initializer_list<test::kept_memory> scratch = {}) {
  std::vector<test::kept_memory> kept(std::begin(test::written_first),
                                      std::end(test::written_first));
  kept.insert(kept.end(), scratch);
  which.reset();
  const test::held_memory fresh;
  expect_right(which);
  which.reset();
  EXPECT_EQ(fresh.difference(kept), "");
}
#endif

}  // namespace finesync::workload
