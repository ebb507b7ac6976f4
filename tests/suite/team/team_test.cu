// The team program on the host executor: right on any schedule, and what its verification rejects.
#include <workloads/team/team_experiment.cuh>
#include <workloads/team/teams_makers.hpp>

#include <tests/library/harness/harness.hpp>
#include <tests/primitives.hpp>

namespace finesync::team {
namespace {

class teams_of_program : public ::testing::TestWithParam<workload::catalogue_entry<run_config>> {};
INSTANTIATE_TEST_SUITE_P(, teams_of_program, ::testing::ValuesIn(workload::runnable(all_teams())),
                         workload::name_of_primitive);

TEST_P(teams_of_program, are_right) {
  for (const unsigned size : {0u, 1u, 2u, 3u})
    for (const bool crossing : {false, true})
      test::expect_right_in_any_memory(test::seed_budget(4), [&] {
        const auto one = GetParam().make({.threads_per_block = 34,
                                          .team_size = size,
                                          .crossing = crossing,
                                          .words = 1,
                                          .rounds = 9});
        return workload::ending(*one).ok();
      });
}

TEST_P(teams_of_program, leave_nothing_to_the_next_run) {
  workload::expect_nothing_left(*GetParam().make(
      {.threads_per_block = 34, .team_size = 3, .crossing = true, .words = 1, .rounds = 9}));
}

TEST_P(teams_of_program, that_only_wait_are_verified_in_a_further_run) {
  const auto one = GetParam().make({.threads_per_block = 32, .team_size = 2, .rounds = 5});
  EXPECT_TRUE(workload::ending(*one).ok());
  EXPECT_NE(one->unverified(), "");
}

TEST(team, needs_an_sm_for_each_block) {
  const auto sms = static_cast<unsigned>(current_gpu().sms);
  EXPECT_NO_THROW(make_team_barrier({.team_size = sms}));
  EXPECT_THROW(make_team_barrier({.team_size = sms + 1}), bench::infeasible);
}

TEST(team, that_never_ran_is_rejected) {
  const auto experiment = make_team_barrier({.rounds = 2});
  ASSERT_TRUE(workload::ending(*experiment).ok());  // whose result must go
  experiment->reset();
  EXPECT_EQ(experiment->verify().what, bench::status::wrong);
}

/// Members that wait for their own threads only.
struct no_teams {
  struct participant {
    __device__ bool wait() {
      __syncthreads();
      return true;
    }
  };
  struct ref_type {
    __device__ no_teams::participant join(const team_place&, const watchdog_ref&) const {
      return {};
    }
  };
  explicit no_teams(unsigned) {}
  void reset() {}
  ref_type ref() const { return {}; }
};

TEST(team, that_does_not_wait_is_rejected) {
  for (const unsigned words : {0u, 1u})
    EXPECT_GT(test::failing_twin_seeds(
                  test::strong, 20,
                  [&] {
                    team_experiment<no_teams> one(
                        {.threads_per_block = 40, .team_size = 2, .words = words, .rounds = 9});
                    return workload::ending(one).ok();
                  }),
              0u);
}

}  // namespace
}  // namespace finesync::team
