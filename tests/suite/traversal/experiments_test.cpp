// Breadth-first search and shortest paths with every barrier, over random schedules, with strong
// and weak memory, on small and odd graphs.
#include "small.hpp"

#include <inputs/graphs/graph.hpp>
#include <workloads/bfs/barriers.hpp>
#include <workloads/sssp/barriers.hpp>

#include <tests/primitives.hpp>
#include <tests/suite/inputs/graphs/known_values.hpp>

#include <cstdint>
#include <variant>

namespace finesync::traversal {
namespace {

using entry = workload::catalogue_entry<run_config>;

constexpr barrier_form all_forms[] = {barrier_form::blocking, barrier_form::split_phase,
                                      barrier_form::overlapped};

std::vector<entry> both_programs() {
  std::vector<entry> all = workload::runnable(bfs::all_barriers());
  for (const entry& each : workload::runnable(sssp::all_barriers())) all.push_back(each);
  return all;
}

class searches : public ::testing::TestWithParam<std::size_t> {
 protected:
  static const entry& tested() {
    static const std::vector<entry> all = both_programs();
    return all[GetParam()];
  }
  static void expect_right(const run_config& config, unsigned seed, simt::memory_kind memory) {
    simt::settings settings = simt::random_schedule(seed, memory);
    settings.gpu.sms = 2;  // enough for blocks to wait for each other
    const simt::scoped_settings scoped(settings);
    try {
      workload::expect_right_once(*tested().make(config), config.input, ", seed ", seed);
    } catch (const bench::infeasible&) {
      ASSERT_NE(config.form, barrier_form::blocking);  // not every barrier has every other form
    }
  }
};
INSTANTIATE_TEST_SUITE_P(, searches, ::testing::Range(std::size_t{0}, both_programs().size()),
                         [](const auto& tested) {
                           const auto of_bfs = workload::runnable(bfs::all_barriers()).size();
                           return std::string(tested.param < of_bfs ? "bfs_" : "sssp_") +
                                  both_programs()[tested.param].name;
                         });

TEST_P(searches, of_odd_graphs_are_right) {
  unsigned seed = 0;
  for (const test::small_graph& graph : test::odd_graphs())
    for (const barrier_form form : all_forms)
      if (test::is_due(GetParam() + ++seed, 4))
        expect_right(small(graph, form), seed, simt::memory_kind::weak);
}

TEST_P(searches, are_right_on_any_schedule) {
  const test::small_graph graph = test::random_graph(60, 300, 20, 2);
  for (unsigned seed = 0, number = 0; seed < test::seed_budget(20); ++seed)
    for (const barrier_form form : all_forms) {
      if (!test::is_due(GetParam() + number++, 2)) continue;
      expect_right(small(graph, form), seed,
                   seed % 2 == 0 ? simt::memory_kind::weak : simt::memory_kind::strong);
    }
}

// Blocking, and some in another form too. In a clique the pool does not hold all entries.
TEST_P(searches, of_each_generated_graph_are_right) {
  unsigned seed = 0;
  for (const std::string& input : inputs::graph_of_each_generator())
    for (const barrier_form form : all_forms) {
      const bool is_clique = input.starts_with("clique/");
      if (!test::is_due(GetParam() + ++seed, 7)) continue;
      if (seed % 5 > 1 && form != barrier_form::blocking && !is_clique) continue;
      run_config config = small({"one", 1}, form);
      config.input = input;
      expect_right(config, seed, is_clique ? simt::memory_kind::weak : simt::memory_kind::strong);
    }
}

}  // namespace

/// One barrier and, in place of a blocking one, all ways to launch each level.
std::vector<entry> some_of(std::span<const entry> all, barrier_form form) {
  std::vector<entry> found;
  for (const entry& each : all) {
    const std::string_view name = each.name;
    const bool relaunches = name.find("launch") != name.npos || name == "graph_conditional";
    if (name == "autotuned" || (relaunches && form == barrier_form::blocking))
      found.push_back(each);
  }
  return found;
}

// A hub that is found on the way fills the queues of all blocks, and the pool.
TEST(searches_of_many_entries, are_right) {
  const simt::scoped_settings scoped(simt::random_schedule(1, simt::memory_kind::weak));
  for (const barrier_form form : all_forms) {
    run_config config = small(test::random_graph(3000, 15000, 50, 1), form);
    config.source = 8;
    for (const auto& all : {bfs::all_barriers(), sssp::all_barriers()})
      for (const entry& each : some_of(all, form))
        EXPECT_TRUE(workload::ending(*each.make(config)).ok()) << each.name;
  }
}

// More than the pool holds, also in the last of its parts, behind which there is nothing to read.
TEST(searches_of_many_entries, of_a_clique_are_right) {
  const simt::scoped_settings scoped(simt::settings{});
  for (const barrier_form form : all_forms)
    for (const entry& each : some_of(sssp::all_barriers(), form)) {
      workload::expect_right_once(*each.make({.input = "clique/300", .source = {}, .form = form}),
                                  each.name);
    }
}

// The path 0 -> 1 -> 2 has the largest distance that fits. With the arc 2 -> 3 it no longer fits.
TEST(shortest_paths, are_found_beside_paths_beyond_32_bits) {
  constexpr std::uint32_t longest = inputs::max_weight;
  const simt::scoped_settings scoped(simt::random_schedule(1, simt::memory_kind::strong));
  test::small_graph graph{"long", 4, {{0, 1, longest}, {1, 2, longest}, {0, 3, longest}}};
  graph.edges.push_back({2, 3, longest});
  for (const barrier_form form : all_forms) {
    run_config config = small(graph, form);
    config.source = 1;
    for (const entry& each : some_of(sssp::all_barriers(), form))
      workload::expect_right(*each.make(config));
  }
  run_config config = small({"beyond", 4, {{0, 1, longest}, {1, 2, longest}, {2, 3, longest}}});
  config.source = 1;
  EXPECT_THROW(sssp::all_barriers().front().make(config), bench::infeasible);
  config.source = 2;
  EXPECT_NO_THROW(sssp::all_barriers().front().make(config));
}

TEST(searches_of_many_levels, are_right) {
  constexpr std::uint32_t vertices = 300;
  const simt::scoped_settings scoped(simt::random_schedule(2, simt::memory_kind::strong));
  for (const barrier_form form : all_forms)
    for (const entry& each : some_of(bfs::all_barriers(), form)) {
      run_config config = small(test::path(vertices, 7), form);
      config.blocks_per_sm = 1;
      const auto made = each.make(config);
      workload::expect_right(*made);
      // With a barrier counted every 16 rounds: a few more rounds than levels.
      const bool has_barrier = std::string_view(each.name) == "autotuned";
      EXPECT_GE(made->computed().at("rounds"), vertices - 2) << each.name;
      EXPECT_LE(made->computed().at("rounds"), vertices - 1 + (has_barrier ? 19 : 0)) << each.name;
    }
}

// A hub, 150 vertices, one, one, and an end without arcs; the last level with arcs has no end.
TEST(levels_of_a_search, are_noted_by_their_size) {
  const simt::scoped_settings scoped(simt::random_schedule(4, simt::memory_kind::strong));
  test::small_graph graph{"fan", 154, {{151, 152, 1}, {152, 153, 1}}};
  for (std::uint32_t i = 1; i <= 150; ++i) {
    graph.edges.push_back({0, i, 1});
    graph.edges.push_back({i, 151, 1});
  }
  for (const entry& each : bfs::all_barriers()) {
    if (std::string(each.name) != "autotuned") continue;
    run_config config = small(graph);
    config.source = 1;
    for (const bool notes : {false, true}) {
      config.levels = notes;
      const auto made = each.make(config);
      workload::expect_right(*made);
      bench::counters seen = made->measure();
      EXPECT_EQ(seen["levels_from_1"], notes ? 2 : 0);
      EXPECT_EQ(seen["levels_from_128"], notes ? 1 : 0);
      EXPECT_FALSE(seen.contains("level_ns_from_1"));  // the executor measures no time
    }
  }
}

// By the file's numbers, from 1; those of a generator are from 0.
TEST(searches_from_any_vertex, say_what_they_reach) {
  const simt::scoped_settings scoped(simt::random_schedule(3, simt::memory_kind::strong));
  run_config config = small(test::path(50, 3));
  for (const auto& all : {bfs::all_barriers(), sssp::all_barriers()})
    for (const entry& each : some_of(all, barrier_form::blocking))
      for (const std::uint32_t source : {1u, 41u, 50u}) {
        config.source = source;
        const auto made = each.make(config);
        EXPECT_TRUE(workload::ending(*made).ok());
        EXPECT_EQ(std::get<long long>(made->effective_parameters().at("source")), source);
        EXPECT_EQ(made->computed().at("reached_vertices"), 51 - source);
        EXPECT_EQ(made->computed().at("reached_arcs"), 50 - source);
        EXPECT_EQ(made->operations(), 50 - source);
      }
  const auto expect_no_vertex = [&](std::uint32_t source) {
    config.source = source;
    EXPECT_THROW(bfs::all_barriers().front().make(config), bench::infeasible) << source;
  };
  expect_no_vertex(0);
  expect_no_vertex(51);
  config.input = "path/50";
  expect_no_vertex(50);
  config.source = 0;
  EXPECT_NO_THROW(bfs::all_barriers().front().make(config));
}

TEST(shortest_paths, may_have_arcs_of_weight_0) {
  const simt::scoped_settings scoped(simt::random_schedule(5, simt::memory_kind::weak));
  test::small_graph graph = test::random_graph(60, 300, 3, 2);
  for (auto& [from, to, weight] : graph.edges) --weight;
  graph.name = "zeros";
  test::small_graph level = graph;
  for (auto& [from, to, weight] : level.edges) weight = 0;
  level.name = "level";
  for (const barrier_form form : all_forms)
    for (const entry& each : some_of(sssp::all_barriers(), form))
      for (const test::small_graph& with : {graph, level})
        workload::expect_right(*each.make(small(with, form)));
}

}  // namespace finesync::traversal
