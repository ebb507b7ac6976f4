// The timed fences on the host executor, which has no cycles: the rounds and their accesses.
#include "broken_touch.cuh"
#include "fence_settings.hpp"

#include <finesync/host/gpu.cuh>
#include <finesync/host/machine.cuh>
#include <workloads/instructions/fences/fence_experiment.cuh>
#include <workloads/instructions/fences_makers.hpp>

#include <tests/primitives.hpp>

namespace finesync::instructions::fences {
namespace {

constexpr unsigned rounds = 6;

TEST(timed_fences, touch_what_they_are_to_touch_in_every_round) {
  for (const auto& each : all_fences()) {
    for_all_settings(rounds, [&](const run_config& config) {
      const auto experiment = each.make(config);
      for (unsigned seed = 0; seed < 5; ++seed) {
        const simt::scoped_settings scoped(simt::random_schedule(seed, simt::memory_kind::weak));
        workload::expect_right_once(*experiment);
      }
    });
  }
}

TEST(timed_fences, with_an_access_left_out_are_rejected) {
  for_all_settings(rounds, [](const run_config& config) {
    fence_experiment<no_fence, broken_touch<rounds>> broken(config);
    EXPECT_EQ(workload::ending(broken).ok(), config.fence.accessed == place::none);
  });
}

/// Number of fences of a scope that all blocks of a run execute.
double fences_of(workload::make_experiment<run_config>* make, const char* scope) {
  const auto experiment = make({.rounds = rounds});
  EXPECT_TRUE(workload::ending(*experiment).ok());
  return last_launch_counts()[std::string("fence_") + scope];
}

TEST(timed_fences, are_of_their_scope_and_one_a_round_behind_one_that_clears) {
  const double clearing = current_gpu().sms * (1.0 + rounds);
  for (workload::make_experiment<run_config>* make :
       {make_release, make_acquire, make_acq_rel, make_seq_cst})
    EXPECT_EQ(fences_of(make, "device"), 2 * clearing);
  EXPECT_EQ(fences_of(make_release_cluster, "device"), clearing);
  EXPECT_EQ(fences_of(make_release_cluster, "cluster"), clearing);
  EXPECT_EQ(fences_of(make_release_block, "device"), clearing);
  EXPECT_EQ(fences_of(make_release_block, "block"), clearing);
}

TEST(timed_fences, that_never_ran_are_rejected) {
  const auto experiment = make_release({.rounds = rounds});
  ASSERT_TRUE(workload::ending(*experiment).ok());  // whose result must go
  experiment->reset();
  EXPECT_FALSE(experiment->verify().ok());
}

TEST(timed_fences, are_taken_in_every_round) {
  EXPECT_EQ(fault_of_cycles({3, 1, 7}, true), "");
  EXPECT_NE(fault_of_cycles({3, 1, ~0u}, false), "");
  EXPECT_NE(fault_of_cycles({~0u, 1, 7}, true), "");
  EXPECT_NE(fault_of_cycles({3, 1, 0}, true), "");
  EXPECT_EQ(fault_of_cycles({3, 1, 0}, false), "");
}

TEST(timed_fences, fit_into_the_rounds_that_there_is_room_for) {
  EXPECT_THROW(make_release({.rounds = max_rounds + 1}), bench::infeasible);
  EXPECT_THROW(make_release({.rounds = 0}), bench::infeasible);
}

}  // namespace
}  // namespace finesync::instructions::fences
