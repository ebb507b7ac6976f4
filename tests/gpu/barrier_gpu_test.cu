// Every grid barrier on the device: right data and the litmus test, in grids and blocks of several
// sizes; and the litmus test itself, which must notice an arrival that releases nothing.
#include "gpu_fixture.hpp"

#include <workloads/barrier/barrier_synchronizer.cuh>

#include <tests/barrier_program/breakable_barrier.cuh>

#include <ostream>
#include <stdexcept>
#include <string>

namespace finesync::rendezvous {
namespace {

using test::breakable_barrier;
using test::flaw;

setup grid(unsigned blocks_per_sm, unsigned threads_per_block) {
  return {.threads_per_block = threads_per_block,
          .blocks_per_sm = blocks_per_sm,
          .rounds = 100,
          .words_per_thread = 4};
}

struct way {
  const char* name;
  make_trial* make;

  friend std::ostream& operator<<(std::ostream& out, const way& w) { return out << w.name; }
};

/// Three runs at the setup; skips the test, and says so, where the primitive cannot be.
void expect_right(const way& how, const setup& where) {
  try {
    const auto synchronizer = how.make(where);
    for (int run = 0; run < 3; ++run) {
      synchronizer->reset();
      synchronizer->launch();
      const outcome ended = synchronizer->check();
      EXPECT_TRUE(ended.correct) << ended.detail;
    }
  } catch (const std::invalid_argument& infeasible) {
    GTEST_SKIP() << infeasible.what();
  }
}

class barriers_on_gpu : public test::on_gpu, public testing::WithParamInterface<way> {};

INSTANTIATE_TEST_SUITE_P(
    all, barriers_on_gpu,
    testing::Values(way{"atomic_tree", make_atomic_tree},
                    way{"sense_reversing", make_sense_reversing},
                    way{"lock_free_tree", make_lock_free_tree},
                    way{"cooperative", make_cooperative}, way{"libcudacxx", make_libcudacxx},
                    way{"graph_relaunch", make_graph_relaunch}, way{"cluster", make_cluster},
                    way{"one_hop", make_one_hop}, way{"sm_groups", make_sm_groups},
                    way{"gather_scatter", make_gather_scatter}, way{"adaptive", make_adaptive}),
    [](const auto& tested) { return tested.param.name; });

TEST_P(barriers_on_gpu, are_right_in_blocks_of_64) {
  for (const unsigned blocks_per_sm : {1u, 4u}) expect_right(GetParam(), grid(blocks_per_sm, 64));
}

TEST_P(barriers_on_gpu, are_right_in_small_and_large_blocks) {
  for (const unsigned threads : {7u, 1024u}) expect_right(GetParam(), grid(1, threads));
}

TEST_P(barriers_on_gpu, are_right_among_the_blocks_of_an_sm) {
  setup local = grid(4, 64);
  local.local_exchange = true;
  expect_right(GetParam(), local);
}

class judgement_on_gpu : public test::on_gpu {};

template <flaw Flaw>
outcome judge(const setup& how) {
  barrier_synchronizer<breakable_barrier<Flaw>> synchronizer(how);
  synchronizer.launch();
  return synchronizer.check();
}

TEST_F(judgement_on_gpu, passes_a_right_barrier) {
  for (const unsigned blocks_per_sm : {1u, 4u}) {
    const outcome ended = judge<flaw::none>(grid(blocks_per_sm, 64));
    EXPECT_TRUE(ended.correct) << ended.detail;
  }
}

TEST_F(judgement_on_gpu, rejects_a_missing_release_by_the_litmus_test) {
  setup idle = grid(1, 64);
  idle.words_per_thread = 0;
  const outcome ended = judge<flaw::no_release>(idle);
  EXPECT_TRUE(ended.detail.starts_with("litmus test")) << ended.detail;
}

TEST_F(judgement_on_gpu, rejects_a_missing_acquire) {
  EXPECT_FALSE(judge<flaw::no_acquire>(grid(1, 64)).correct);
}

TEST_F(judgement_on_gpu, rejects_no_barrier_and_one_that_leaves_a_block_behind) {
  EXPECT_FALSE(judge<flaw::never_waits>(grid(1, 64)).correct);
  EXPECT_FALSE(judge<flaw::leaves_early>(grid(1, 64)).correct);
}

TEST_F(judgement_on_gpu, rejects_a_barrier_of_the_sm_that_is_none) {
  setup local = grid(4, 64);
  local.local_exchange = true;
  EXPECT_FALSE(judge<flaw::forgets_the_sm>(local).correct);
}

TEST_F(judgement_on_gpu, gives_up_on_a_barrier_that_never_opens) {
  EXPECT_TRUE(judge<flaw::never_opens>(grid(1, 64)).gave_up);
}

}  // namespace
}  // namespace finesync::rendezvous
