// Every version, over random schedules and weak memory, with random letters.
#include "small.hpp"

#include <workloads/nw/alignments_makers.hpp>

#include <tests/library/harness/harness.hpp>
#include <tests/primitives.hpp>

#include <variant>

namespace finesync::nw {
namespace {

class alignments : public ::testing::TestWithParam<workload::catalogue_entry<run_config>> {
 protected:
  /// The smallest tiles of the version.
  static unsigned tile() {
    return std::string(GetParam().name).starts_with("data_parallel") ? 16 : 8;
  }
  static bool has_axis(const std::string& name) {
    return std::ranges::count(GetParam().axes, name) != 0;
  }
  /// \param usual seeds; fewer for blocks of 512 threads, which are slow to run here.
  static void expect_right_on_any_schedule(const run_config& config, unsigned usual) {
    if (!has_axis("tile-size")) usual = 1 + usual / 5;
    test::expect_right_in_any_memory(
        test::seed_budget(usual), [&] { return workload::ending(*GetParam().make(config)).ok(); });
  }
};
INSTANTIATE_TEST_SUITE_P(, alignments, ::testing::ValuesIn(workload::runnable(all_alignments())),
                         workload::name_of_primitive);

TEST_P(alignments, of_one_tile_are_right_on_any_schedule) {
  expect_right_on_any_schedule(small(7, 7, tile()), 250);
  expect_right_on_any_schedule(small(3, 5, tile()), 100);
}

TEST_P(alignments, of_several_tiles_are_right_on_any_schedule) {
  expect_right_on_any_schedule(small(17, 23, tile()), 30);
  run_config lines = small(26, 9, tile());
  lines.rows = pitch::lines;
  expect_right_on_any_schedule(lines, 30);
}

TEST_P(alignments, of_any_length_are_right) {
  for (unsigned rows = 1; rows <= 200; rows += 1 + rows / test::daily_or_whole(2u, 6u)) {
    for (const unsigned columns : {rows, 1 + 57 * rows % 61}) {
      simt::settings config = simt::random_schedule(rows, test::weak);
      if (rows > 40) config.schedule = simt::schedule_kind::round_robin;
      const simt::scoped_settings scoped(config);
      run_config one = small(rows, columns, tile());
      one.rows = rows % 2 == 0 ? pitch::packed : pitch::lines;
      workload::expect_right_once(*GetParam().make(one), rows, " x ", columns);
    }
  }
}

TEST_P(alignments, of_one_letter_with_many_are_right) {
  workload::expect_right(*GetParam().make(small(1, 150, tile())));
  workload::expect_right(*GetParam().make(small(150, 1, tile())));
  workload::expect_right(*GetParam().make(small(1, 1, tile())));
}

TEST_P(alignments, with_tiles_of_any_side_are_right_after_a_reset) {
  for (const unsigned side : {16u, 0u})
    workload::expect_right(*GetParam().make(small(40, 35, side)));
}

TEST_P(alignments, refuse_other_tiles) {
  if (!has_axis("tile-size")) GTEST_SKIP() << "it has no tiles";
  EXPECT_THROW(GetParam().make(small(4, 4, 24)), bench::infeasible);
}

TEST_P(alignments, with_other_scores_and_gaps_are_right) {
  run_config dna{
      .problem = {.input = SEQUENCES_FOLDER "/MT-human.fa," SEQUENCES_FOLDER "/MT-orang.fa",
                  .rows = 60,
                  .columns = 45,
                  .scores = "nuc44",
                  .gap = 3},
      .tile = tile()};
  workload::expect_right(*GetParam().make(dna));
}

TEST_P(alignments, say_what_ran) {
  const auto one = GetParam().make(small(30, 33, 16));
  workload::expect_right(*one);
  const bench::parameters effective = one->effective_parameters();
  EXPECT_EQ(std::get<long long>(effective.at("rows")), 30);
  EXPECT_EQ(std::get<long long>(effective.at("columns")), 33);
  EXPECT_EQ(std::get<long long>(effective.at("pitch_words")), 34);
  EXPECT_EQ(one->operations(), 30.0 * 33);
}

TEST(data_parallel, takes_similarities_out_of_a_table) {
  run_config config = small(50, 37, 16);
  config.from_table = true;
  for (const auto make : {make_data_parallel, make_data_parallel_graph})
    workload::expect_right(*make(config));
}

TEST(data_parallel, has_a_launch_for_each_diagonal_of_tiles) {
  EXPECT_EQ(std::get<long long>(
                make_data_parallel(small(64, 33, 16))->effective_parameters().at("launches")),
            6);
  EXPECT_EQ(std::get<long long>(
                make_data_parallel(small(64, 33, 16))->effective_parameters().at("blocks")),
            3);
}

TEST_P(alignments, are_right_after_they_were_measured) {
  const auto one = GetParam().make(small(40, 35, 16));
  workload::expect_right(*one);
  EXPECT_TRUE(one->measure().empty()) << "the executor measures no time";
  EXPECT_TRUE(one->verify().ok());
}

TEST(tiny_lock, private_takes_what_shared_takes_three_times) {
  const auto bytes = [](workload::make_experiment<run_config>* make) {
    return std::get<long long>(make(small(4, 4, 16))->effective_parameters().at("shared_bytes"));
  };
  EXPECT_EQ(bytes(make_tiny_lock_private), 3 * bytes(make_tiny_lock_shared));
}

TEST(tile_dataflow, has_no_more_blocks_than_fit) {
  const auto experiment = make_tile_dataflow(small(120, 150, 16));
  const auto blocks = std::get<long long>(experiment->effective_parameters().at("blocks"));
  EXPECT_LT(blocks, 8 * 10);
  EXPECT_EQ(std::get<long long>(experiment->effective_parameters().at("launches")), 1);
  workload::expect_right(*experiment);
}

}  // namespace
}  // namespace finesync::nw
