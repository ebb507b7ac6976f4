// Every version, over random schedules, with strong and weak memory, on small and odd graphs.
#include "small.hpp"

#include <workloads/mst/minima.hpp>
#include <workloads/mst/resident_graph.hpp>

#include <tests/primitives.hpp>
#include <tests/suite/inputs/graphs/known_values.hpp>

#include <utility>

namespace finesync::mst {
namespace {

class forests : public ::testing::TestWithParam<workload::catalogue_entry<run_config>> {
 protected:
  /// Whether the version stands for those with the same rounds; those of LonestarGPU have their
  /// own.
  static bool stands_for_others() {
    const std::string_view name = GetParam().name;
    return name == "atomic_min" || name.starts_with("per_vertex");
  }
  static bool is_due(unsigned number, unsigned one_in) {
    return stands_for_others() ||
           test::is_due(std::string_view(GetParam().name).size() + number, one_in);
  }
  static unsigned seeds(unsigned usual) {
    return test::shared_seed_budget(usual, stands_for_others());
  }
  static void expect_right(const run_config& config, unsigned seed, simt::memory_kind memory,
                           simt::preemption preempted = {}) {
    simt::settings settings = simt::random_schedule(seed, memory);
    settings.preempted = preempted;
    settings.gpu.sms = 2;  // enough for blocks to wait for each other
    const simt::scoped_settings scoped(settings);
    workload::expect_right_once(*GetParam().make(config), config.problem.input, ", seed ", seed);
  }
};
INSTANTIATE_TEST_SUITE_P(, forests, ::testing::ValuesIn(workload::runnable(all_minima())),
                         workload::name_of_primitive);

TEST_P(forests, of_odd_graphs_are_right) {
  unsigned seed = 0;
  for (const small_graph& graph : odd_graphs())
    for (const unsigned light : {all_light, 10u, 70u})
      if (is_due(++seed, 2)) expect_right(small(graph, light), seed, simt::memory_kind::weak);
}

TEST_P(forests, say_their_weight) {
  const auto made = GetParam().make(small(path(9, 1000), 70));
  ASSERT_TRUE(workload::ending(*made).ok());
  EXPECT_EQ(made->computed(),
            (bench::exact_results{{"forest_weight", 2 + 3 + 4 + 5 + 6 + 7 + 8 + 9}}));
}

TEST_P(forests, are_right_on_any_schedule) {
  const run_config contended = small(random_graph(40, 90, 3, 2), 40);
  for (unsigned seed = 0; seed < seeds(30); ++seed) {
    expect_right(contended, seed, simt::memory_kind::strong);
    expect_right(contended, seed, simt::memory_kind::weak);
  }
}

TEST_P(forests, of_several_blocks_are_right_on_any_schedule) {
  const run_config wide = small(random_graph(1500, 5000, 200, 2), all_light);
  for (unsigned seed = 0; seed < test::seed_budget(12); ++seed)
    expect_right(wide, seed, simt::memory_kind::strong,
                 {.after_turn = 1 + 4000 * seed, .length = 20'000});
}

TEST_P(forests, with_rows_of_several_lanes_are_right) {
  expect_right(small(random_graph(150, 2200, 1000), 70), 1, simt::memory_kind::weak);
}

TEST_P(forests, with_long_rows_are_right) {
  expect_right(small(random_graph(4000, 9000, 1000, 1), all_light), 3, simt::memory_kind::weak);
  expect_right(small(random_graph(1500, 6000, 1000, 3), 70), 1, simt::memory_kind::weak);
  expect_right(small(star(3000, 50), all_light), 2, simt::memory_kind::weak);
}

TEST_P(forests, with_more_edges_than_pairs_of_components_are_right) {
  const run_config dense = small(random_graph(4000, 20'000, 1000), all_light);
  expect_right(dense, 1, simt::memory_kind::weak);
  // A block is late at about the time when pairs are proposed.
  for (unsigned seed = 0; seed < seeds(6); ++seed)
    expect_right(dense, seed, simt::memory_kind::strong,
                 {.after_turn = 264'000 + 2000 * seed, .length = 20'000});
}

TEST_P(forests, of_real_and_generated_graphs_are_right) {
  std::vector<std::string> inputs = inputs::graph_of_each_generator();
  inputs.insert(inputs.end(), {GRAPHS_FOLDER "/karate.mtx", GRAPHS_FOLDER "/jagmesh7.mtx"});
  run_config config = small({});
  for (unsigned seed = 2; std::string & input : inputs) {
    if (!is_due(++seed, 4)) continue;
    config.problem.input = std::move(input);
    expect_right(config, seed, simt::memory_kind::weak);
  }
}

TEST_P(forests, of_hard_graphs_are_right) {
  unsigned seed = 0;
  for (const auto& [input, weight] : inputs::known_forests())
    for (const unsigned light : {all_light, 70u}) {
      ++seed;
      if (!stands_for_others() && seed % 4 > 1) continue;  // each graph with one of the two
      if (!is_due(seed / 4, 3)) continue;
      run_config config = small({}, light);
      config.problem.input = input;
      ASSERT_EQ(graph_of(config.problem)->least_weight(), weight) << input;
      expect_right(config, seed, simt::memory_kind::weak);
    }
}

TEST_P(forests, with_long_chains_are_right_on_any_schedule) {
  for (const char* input : {"path/1200", "path-shuffled/1200", "path-pairs/2600", "comb/1600"})
    for (unsigned seed = 0; seed < seeds(3); ++seed) {
      run_config config = small({}, all_light);
      config.problem.input = input;
      expect_right(config, seed, simt::memory_kind::strong,
                   {.after_turn = 1 + 9000 * seed, .length = 20'000});
      expect_right(config, seed, simt::memory_kind::weak);
    }
}

TEST_P(forests, with_many_components_are_right) {
  expect_right(small(random_graph(3000, 2500, 100)), 1, simt::memory_kind::weak);
  expect_right(small(groups(600), 70), 1, simt::memory_kind::weak);
  if (test::daily_or_whole(!stands_for_others(), false)) return;
  // so many that their chains are settled
  expect_right(small(random_graph(20'000, 20'000, 100), all_light), 2, simt::memory_kind::weak);
}

TEST_P(forests, are_right_after_a_reset) {
  workload::expect_right(*GetParam().make(small(random_graph(80, 200, 20))));
}

TEST_P(forests, notice_that_nobody_has_run) {
  const auto experiment = GetParam().make(small(path(9, 2)));
  experiment->reset();
  EXPECT_EQ(experiment->verify().what, bench::status::wrong);
}

// The same for all versions, and slow.
TEST(rows, of_which_warps_take_several_at_a_time_are_all_walked) {
  const auto versions = workload::runnable(all_minima());
  const auto bound = std::ranges::find_if(
      versions, [](const auto& each) { return each.name == std::string_view("atomic_min"); });
  ASSERT_NE(bound, versions.end());
  simt::settings settings = simt::random_schedule(1, simt::memory_kind::strong);
  settings.gpu.sms = 1;
  const simt::scoped_settings scoped(settings);
  const auto made = bound->make(small(random_graph(70'000, 90'000, 100), all_light));
  EXPECT_TRUE(workload::ending(*made).ok());
}

}  // namespace
}  // namespace finesync::mst
