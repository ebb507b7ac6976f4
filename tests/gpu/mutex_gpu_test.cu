// The competition for one lock on the device: right with every primitive, also of whole blocks and
// of a full GPU, wrong without a lock, and given up when nobody gets in.
#include "gpu_fixture.hpp"

#include <workloads/mutex/lock_competition.cuh>

#include <tests/locks/no_lock.hpp>

#include <ostream>
#include <stdexcept>

namespace finesync::mutex {
namespace {

struct way {
  const char* name;
  make_trial* make;

  friend std::ostream& operator<<(std::ostream& out, const way& w) { return out << w.name; }
};

class mutexes_on_gpu : public test::on_gpu, public testing::WithParamInterface<way> {};

// spin is missing: it comes to a standstill with many blocks, which is a result and no error.
INSTANTIATE_TEST_SUITE_P(all, mutexes_on_gpu,
                         testing::Values(way{"spin_ordered", make_spin_ordered},
                                         way{"ebo", make_ebo}, way{"ttas", make_ttas},
                                         way{"ticket", make_ticket}, way{"ring", make_ring},
                                         way{"array", make_array}, way{"mcs", make_mcs},
                                         way{"cohort", make_cohort}, way{"carrying", make_carrying},
                                         way{"libcudacxx", make_libcudacxx}),
                         [](const auto& tested) { return tested.param.name; });

setup contended(unsigned blocks_per_sm, unsigned ldst) {
  return {.blocks_per_sm = blocks_per_sm,
          .threads_per_block = 64,
          .ldst = ldst,
          .rounds = 16,
          .cluster_blocks = 8,
          .backoff = true,
          .empty_section = false};
}

/// Three runs; skips the test, and says so, where the primitive cannot be.
void expect_right(make_trial* make, const setup& how) {
  try {
    const auto trial = make(how);
    for (int run = 0; run < 3; ++run) {
      trial->reset();
      trial->launch();
      const outcome ended = trial->check();
      EXPECT_TRUE(ended.correct) << ended.detail;
    }
  } catch (const std::invalid_argument& infeasible) {
    GTEST_SKIP() << infeasible.what();
  }
}

TEST_P(mutexes_on_gpu, lose_no_count) {
  for (const unsigned blocks_per_sm : {1u, 8u})
    expect_right(GetParam().make, contended(blocks_per_sm, 0));
}

TEST_P(mutexes_on_gpu, lose_no_count_of_whole_blocks) {
  expect_right(GetParam().make, contended(8, 10));
}

class competition_on_gpu : public test::on_gpu {};

TEST_F(competition_on_gpu, is_won_by_a_queue_on_a_full_gpu) {
  expect_right(make_array, contended(32, 0));
  expect_right(make_mcs, contended(32, 0));
}

TEST_F(competition_on_gpu, tells_waits_and_shares) {
  const auto seen = make_array(contended(4, 0))->watch();
  EXPECT_GT(seen.at("acquisitions_min"), 0);
  EXPECT_GT(seen.at("wait_p50_ns"), 0);
  EXPECT_GT(seen.at("rest_ns_per_operation"), 0);
}

template <class Lock>
outcome run(const setup& how) {
  const auto trial = compete_for<Lock>(how);
  trial->launch();
  return trial->check();
}

TEST_F(competition_on_gpu, for_what_is_no_lock_is_wrong) {
  EXPECT_FALSE(run<test::no_lock>(contended(8, 0)).correct);
  EXPECT_FALSE(run<test::no_lock>(contended(8, 10)).correct);
}

/// Lets nobody in.
class closed : public test::no_lock {
 public:
  __device__ explicit closed(state& s) : no_lock(s) {}
  __device__ bool enter(request&) { return false; }
};

TEST_F(competition_on_gpu, is_given_up_when_nobody_gets_in) {
  const outcome ended = run<closed>(contended(1, 0));
  EXPECT_TRUE(ended.gave_up);
  EXPECT_FALSE(ended.correct);
}

}  // namespace
}  // namespace finesync::mutex
