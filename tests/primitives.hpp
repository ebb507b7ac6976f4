// The primitives of a program as parameters of tests, and runs of their experiments.
#pragma once

#include <finesync/host/buffer.cuh>
#include <finesync/host/error.cuh>
#include <workloads/common/catalogue_entry.hpp>

#ifdef FINESYNC_HOST_EXECUTOR
#include <tests/held_memory.hpp>
#endif

#include <gtest/gtest.h>

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

/// Several runs are correct, so none leaves state that harms the next.
inline void expect_right(bench::experiment& which) {
  for (int run = 0; run < 3; ++run) {
    const bench::outcome ended = ending(which);
    EXPECT_TRUE(ended.ok()) << ended.reason;
  }
}

#ifdef FINESYNC_HOST_EXECUTOR
/// The same, and after a reset all device memory is as after the first, byte by byte.
/// \param scratch what reports call memory that the next run writes before it reads it.
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

/// The same for an experiment yet to be made; if it cannot be made, skips the test with the reason.
template <class RunConfig>
void expect_right_or_skip(make_experiment<RunConfig>* make, const RunConfig& config) {
  try {
    expect_right(*make(config));
  } catch (const bench::infeasible& why) {
    GTEST_SKIP() << why.what();
  } catch (const launch_error& why) {
    GTEST_SKIP() << why.what();
  }
}

}  // namespace finesync::workload
