// Transfers under locks that do not exclude must come out wrong, also where the timed sections are
// empty, and in the run in which locks are seen to change hands.
#include <simt/settings.hpp>
#include <workloads/atm/locks/multi_lock_experiment.cuh>

#include <gtest/gtest.h>
#include <tests/library/locks/no_lock.hpp>
#include <tests/primitives.hpp>

namespace finesync::atm {
namespace {

using experiment = multi_lock_experiment<test::no_lock, in_order>;

constexpr run_config crowded{.problem = {.accounts = 4, .transfers = 300}, .threads_per_block = 40};
constexpr unsigned seeds = 10;

unsigned wrong_seeds(const run_config& config) {
  unsigned wrong = 0;
  for (unsigned seed = 0; seed < seeds; ++seed) {
    const simt::scoped_settings scoped(simt::random_schedule(seed));
    experiment broken(config);
    wrong += !workload::ending(broken).ok();
  }
  return wrong;
}

TEST(broken_locks, are_rejected) {
  EXPECT_EQ(wrong_seeds(crowded), seeds);
}

TEST(broken_locks, with_empty_sections_are_rejected) {
  run_config empty = crowded;
  empty.empty_sections = true;
  EXPECT_EQ(wrong_seeds(empty), seeds);
  EXPECT_NE(experiment(empty).unverified(), experiment(crowded).unverified());
}

TEST(broken_locks, are_rejected_in_the_observed_run) {
  const simt::scoped_settings scoped(simt::random_schedule(0));
  EXPECT_THROW(experiment(crowded).measure(), bench::failed_run);
}

}  // namespace
}  // namespace finesync::atm
