// Every way to insert, over random schedules and weak memory, and the requests that must be
// refused.
#include <finesync/device/error.cuh>
#include <simt/settings.hpp>
#include <workloads/hash_table/inserter.hpp>

#include <gtest/gtest.h>

#include <ostream>
#include <stdexcept>
#include <string>

namespace finesync::hash_table {
namespace {

struct way {
  const char* name;
  make_trial* make;

  friend std::ostream& operator<<(std::ostream& out, const way& w) { return out << w.name; }
};

class inserters : public ::testing::TestWithParam<way> {};

INSTANTIATE_TEST_SUITE_P(
    all, inserters,
    ::testing::Values(way{"spin", make_spin}, way{"spin_ordered", make_ordered_spin},
                      way{"backoff", make_backoff}, way{"ticket", make_ticket},
                      way{"ring", make_ring}, way{"array", make_array}, way{"mcs", make_mcs},
                      way{"combining", make_combining}, way{"carrying", make_carrying},
                      way{"server_basic", make_server_basic},
                      way{"server_paper", make_server_paper}, way{"server_fast", make_server_fast},
                      way{"lockfree", make_lockfree}),
    [](const auto& tested) { return tested.param.name; });

constexpr setup small{.what = {.collision_factor = 32, .inserts = 300, .table_size = 64},
                      .threads_per_block = 64,
                      .blocks_per_sm = 1,
                      .padded_locks = false,
                      .extra = 0,
                      .empty_sections = false,
                      .servers = {.percent = 50, .ring = 64, .locks = 32, .local_buffer = 32}};

TEST_P(inserters, put_every_node_in_its_list_on_any_schedule) {
  for (unsigned seed = 0; seed < 60; ++seed) {
    const simt::scoped_settings scoped(simt::random_schedule(seed, simt::memory_kind::weak));
    const auto inserter = GetParam().make(small);
    inserter->launch();
    const outcome ended = inserter->check();
    ASSERT_TRUE(ended.correct) << "seed " << seed << ": " << ended.detail;
  }
}

TEST_P(inserters, are_as_good_after_a_reset) {
  setup padded = small;
  padded.padded_locks = true;
  padded.extra = 1;
  const auto inserter = GetParam().make(padded);
  for (int run = 0; run < 3; ++run) {
    inserter->reset();
    inserter->launch();
    EXPECT_TRUE(inserter->check().correct);
  }
}

TEST_P(inserters, fill_a_full_gpu_with_more_threads_than_inserts) {
  setup full = small;
  full.blocks_per_sm = 0;
  const auto inserter = GetParam().make(full);
  inserter->launch();
  EXPECT_TRUE(inserter->check().correct);
}

TEST_P(inserters, notice_a_table_that_was_filled_twice) {
  if (std::string(GetParam().name).starts_with("server")) return;  // rings need a reset
  const auto inserter = GetParam().make(small);
  inserter->launch();
  inserter->launch();
  EXPECT_FALSE(inserter->check().correct);
}

TEST_P(inserters, notice_a_table_that_was_never_filled) {
  EXPECT_FALSE(GetParam().make(small)->check().correct);
}

TEST_P(inserters, refuse_a_grid_that_does_not_fit) {
  setup huge = small;
  huge.blocks_per_sm = 32;
  try {
    GetParam().make(huge);
    FAIL() << "was accepted";
  } catch (const launch_error& refusal) {
    EXPECT_TRUE(
        std::string(refusal.what())
            .starts_with("a grid of 128 blocks of 64 threads cannot be co-resident: at most "))
        << refusal.what();
  }
}

TEST_P(inserters, count_sections_that_touch_no_memory) {
  if (std::string(GetParam().name) == "lockfree") return;  // it has no sections
  setup empty = small;
  empty.empty_sections = true;
  const auto inserter = GetParam().make(empty);
  EXPECT_FALSE(inserter->check().correct);
  for (int run = 0; run < 2; ++run) {
    inserter->reset();
    inserter->launch();
    const outcome ended = inserter->check();
    EXPECT_TRUE(ended.correct) << ended.detail;
  }
}

TEST(served, grid_is_divided_as_asked) {
  setup divided = small;
  divided.blocks_per_sm = 2;  // 8 blocks on 4 SMs
  divided.servers.percent = 25;
  const auto seen = make_server_fast(divided)->watch();
  EXPECT_EQ(seen.at("server_blocks"), 2);
  EXPECT_EQ(seen.at("client_blocks"), 6);
}

TEST(served, inserts_need_a_possible_configuration) {
  setup odd = small;
  odd.servers.ring = 48;
  EXPECT_THROW(make_server_fast(odd), std::invalid_argument);
  odd = small;
  odd.threads_per_block = 32;  // the paper's leader warp has no follower
  EXPECT_THROW(make_server_paper(odd)->launch(), launch_error);
}

TEST(peers, of_the_gpu_are_refused) {
  EXPECT_THROW(make_libcudacxx(small), std::invalid_argument);
}

TEST(watched, run_counts_retries_under_contention) {
  setup hot = small;
  hot.what.table_size = 1;
  const auto seen = make_spin(hot)->watch();
  EXPECT_GT(seen.at("lock_retries_per_insert"), 1.0);
  EXPECT_DOUBLE_EQ(seen.at("lock_acquisitions_per_insert"), 1.0);
  EXPECT_EQ(seen.count("lock_transfer_ns"), 0u) << "the executor's clock is nominal";
}

TEST(watched, combining_acquires_less_often_than_it_inserts) {
  setup hot = small;
  hot.what.table_size = 1;
  EXPECT_LT(make_combining(hot)->watch().at("lock_acquisitions_per_insert"), 0.5);
}

}  // namespace
}  // namespace finesync::hash_table
