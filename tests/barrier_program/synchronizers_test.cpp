// Every primitive of the program, over random schedules and weak memory, and the requests that must
// be refused.
#include <finesync/device/error.cuh>
#include <simt/settings.hpp>
#include <workloads/barrier/synchronizer.hpp>

#include <gtest/gtest.h>

#include <new>
#include <ostream>
#include <stdexcept>
#include <string>

namespace finesync::rendezvous {
namespace {

struct way {
  const char* name;
  make_trial* make;
  bool on_sm = false;  ///< has a barrier for the blocks of one SM

  friend std::ostream& operator<<(std::ostream& out, const way& w) { return out << w.name; }
};

class synchronizers : public ::testing::TestWithParam<way> {};

INSTANTIATE_TEST_SUITE_P(
    all, synchronizers,
    ::testing::Values(way{"atomic_tree", make_atomic_tree, true},
                      way{"sense_reversing", make_sense_reversing, true},
                      way{"lock_free_tree", make_lock_free_tree, true},
                      way{"cooperative", make_cooperative}, way{"cluster", make_cluster},
                      way{"graph_relaunch", make_graph_relaunch}, way{"one_hop", make_one_hop},
                      way{"gather_scatter", make_gather_scatter}, way{"sm_groups", make_sm_groups},
                      way{"adaptive", make_adaptive}),
    [](const auto& tested) { return tested.param.name; });

constexpr setup small{.threads_per_block = 33,
                      .blocks_per_sm = 2,
                      .rounds = 4,
                      .words_per_thread = 2,
                      .litmus = {.rounds = 4, .stores = 3}};

simt::settings weak(unsigned seed) {
  return simt::random_schedule(seed, simt::memory_kind::weak);
}

TEST_P(synchronizers, are_right_on_any_schedule) {
  for (unsigned seed = 0; seed < 30; ++seed) {
    const simt::scoped_settings scoped(weak(seed));
    const auto synchronizer = GetParam().make(small);
    for (int run = 0; run < 2; ++run) {
      synchronizer->reset();
      synchronizer->launch();
      const outcome ended = synchronizer->check();
      ASSERT_TRUE(ended.correct) << "seed " << seed << ": " << ended.detail;
    }
  }
}

TEST_P(synchronizers, exchange_among_the_blocks_of_an_sm_or_say_that_they_cannot) {
  setup local = small;
  local.local_exchange = true;
  if (!GetParam().on_sm) {
    EXPECT_THROW(GetParam().make(local), std::invalid_argument);
    return;
  }
  for (unsigned seed = 0; seed < 30; ++seed) {
    const simt::scoped_settings scoped(weak(seed));
    const auto synchronizer = GetParam().make(local);
    synchronizer->launch();
    const outcome ended = synchronizer->check();
    ASSERT_TRUE(ended.correct) << "seed " << seed << ": " << ended.detail;
  }
}

TEST_P(synchronizers, are_right_in_blocks_of_any_size_and_number) {
  for (const auto& [threads, blocks] : {std::pair{1u, 3u}, {7u, 1u}, {64u, 8u}, {512u, 1u}}) {
    setup odd = small;
    odd.threads_per_block = threads;
    odd.blocks_per_sm = blocks;
    const auto synchronizer = GetParam().make(odd);
    synchronizer->launch();
    const outcome ended = synchronizer->check();
    EXPECT_TRUE(ended.correct) << threads << " threads, " << blocks << " blocks: " << ended.detail;
  }
}

TEST_P(synchronizers, need_no_work_between_barriers) {
  setup idle = small;
  idle.words_per_thread = 0;
  const auto synchronizer = GetParam().make(idle);
  synchronizer->launch();
  EXPECT_TRUE(synchronizer->check().correct);
}

TEST_P(synchronizers, notice_a_run_without_reset) {
  const auto synchronizer = GetParam().make(small);
  synchronizer->launch();
  synchronizer->launch();
  EXPECT_FALSE(synchronizer->check().correct);
}

TEST_P(synchronizers, tell_how_many_blocks_there_were) {
  const auto seen = GetParam().make(small)->watch();
  EXPECT_EQ(seen.at("blocks"), 8);
  EXPECT_EQ(seen.at("operations"), 4);
  EXPECT_EQ(seen.count("rest_ns_per_operation"), 0u) << "the executor measures no time";
}

TEST_P(synchronizers, refuse_a_grid_that_does_not_fit) {
  setup huge = small;
  huge.blocks_per_sm = 32;
  try {
    GetParam().make(huge);
    FAIL() << "was accepted";
  } catch (const launch_error& refusal) {
    const std::string words = refusal.what();
    EXPECT_TRUE(words.starts_with("a grid of 128 blocks of 33 threads")) << words;
    EXPECT_NE(words.find("cannot be co-resident: at most 32 "), std::string::npos) << words;
  }
}

TEST_P(synchronizers, refuse_words_that_do_not_fit) {
  setup huge = small;
  huge.words_per_thread = 1u << 31;
  EXPECT_THROW(GetParam().make(huge), std::bad_alloc);
}

TEST(plans, change_the_barrier_and_keep_it_right) {
  for (make_trial* make : {make_one_hop, make_gather_scatter, make_sm_groups}) {
    for (const unsigned amount : {1u, 3u, 16u}) {
      setup planned = small;
      planned.counters = {.lines = amount, .replicas = amount, .first_poll = 1};
      const simt::scoped_settings scoped(weak(amount));
      const auto synchronizer = make(planned);
      synchronizer->launch();
      const outcome ended = synchronizer->check();
      EXPECT_TRUE(ended.correct) << amount << ": " << ended.detail;
    }
  }
}

TEST(what_needs_cuda, says_so_elsewhere) {
  EXPECT_THROW(make_libcudacxx(small), std::invalid_argument);
}

TEST(clusters, are_as_large_as_asked_for_or_refused) {
  setup clustered = small;
  clustered.cluster_blocks = 2;
  const auto synchronizer = make_cluster(clustered);
  synchronizer->launch();
  EXPECT_TRUE(synchronizer->check().correct);
  clustered.cluster_blocks = 8;  // on four SMs
  EXPECT_THROW(make_cluster(clustered), launch_error);
  simt::settings before_hopper;
  before_hopper.gpu = simt::find_gpu_model("rtx2080ti");
  const simt::scoped_settings scoped(before_hopper);
  EXPECT_THROW(make_cluster(small), launch_error);
}

}  // namespace
}  // namespace finesync::rendezvous
