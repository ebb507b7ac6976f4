// Breadth-first search that looks up or down: exact distances in all phases and on any schedule,
// and mistakes that the verification must reject.
#include "small.hpp"

#include <finesync/host/machine.cuh>
#include <workloads/bfs/direction_optimizing.cuh>

#include <tests/rejection.hpp>
#include <tests/suite/barrier_program/breakable_barrier.cuh>

namespace finesync::bfs {
namespace {

using test::breakable_barrier;
using test::flaw;
using test::is_rejected;
using traversal::small;

template <flaw Flaw = flaw::none, class Levels = level_bitmaps>
using tested = direction_optimizing_experiment<breakable_barrier<Flaw>, Levels>;

/// A level that is followed, one with two long rows, and one whose vertices look up.
test::small_graph tree_with_long_rows() {
  constexpr std::uint32_t inner = 3 + 2 * (most_arcs_of_warp + 40);
  test::small_graph made{"long-rows", inner + (inner - 3) * 12};
  for (std::uint32_t i = 1; i < made.vertices; ++i)
    made.edges.push_back({i < 3 ? 0 : i < inner ? 1 + i % 2 : 3 + (i - inner) / 12, i, 1});
  return made;
}

/// Chains beside each other: each level has one vertex of each of them.
test::small_graph chains(std::uint32_t number, std::uint32_t length) {
  test::small_graph made{"chains", 1 + number * length};
  for (std::uint32_t i = 1; i < made.vertices; ++i)
    made.edges.push_back({i <= number ? 0 : i - number, i, 1});
  return made;
}

run_config of_input(const std::string& input) {
  run_config config = small({"one", 1});
  config.input = input;
  config.blocks_per_sm = 1;
  return config;
}

TEST(searches_in_both_directions, are_right_on_generated_graphs) {
  unsigned seed = 0;
  for (const char* const input :
       {"rmat/9", "rmat-graph500/9", "r4/9", "r4-cycle/8", "grid/14", "road/400", "path/100",
        "star/1500", "star-paths/500", "hub/900", "cliques/600", "caterpillar/300"})
    for (const simt::memory_kind memory : {simt::memory_kind::weak, simt::memory_kind::strong}) {
      const simt::scoped_settings scoped(simt::random_schedule(++seed, memory));
      tested<> search(of_input(input));
      workload::expect_right_once(search, input, ", seed ", seed);
    }
}

TEST(searches_in_both_directions, are_right_on_any_schedule) {
  const test::small_graph graph = test::random_graph(1100, 3300, 1, 2);
  for (unsigned seed = 0; seed < test::seed_budget(200); ++seed) {
    simt::settings settings = simt::random_schedule(
        seed, seed % 2 == 0 ? simt::memory_kind::weak : simt::memory_kind::strong);
    settings.gpu.sms = 2;
    if (seed % 2 != 0) settings.check = simt::checking::races;
    const simt::scoped_settings scoped(settings);
    run_config config = small(graph);
    config.threads_per_block = 32;
    tested<> search(config);
    workload::expect_right_once(search, "seed ", seed);
  }
}

TEST(searches_in_both_directions, are_right_in_all_phases) {
  for (unsigned seed = 0; seed < test::seed_budget(4); ++seed) {
    const simt::scoped_settings scoped(simt::random_schedule(seed, simt::memory_kind::weak));
    run_config config = small(tree_with_long_rows());
    config.source = 1;
    tested<> search(config);
    workload::expect_right(search);
    EXPECT_EQ(search.computed().at("rounds"), 3);
    // At the start, after each round, and after the long rows were listed.
    EXPECT_EQ(search.measure().at("barriers"), 1 + 3 + 1);
  }
}

TEST(searches_in_both_directions, are_right_over_many_levels) {
  simt::settings settings;
  settings.gpu.sms = 2;
  const simt::scoped_settings scoped(settings);
  const auto vertices = test::daily_or_whole<std::uint32_t>(2'000, 10'000);
  run_config config = small(test::path(vertices, 1));
  config.threads_per_block = 32;
  config.blocks_per_sm = 1;
  tested<> search(config);
  workload::expect_right_once(search);
  EXPECT_EQ(search.computed().at("rounds"), vertices - 1);
}

TEST(searches_in_both_directions, refuse_a_part_of_a_warp) {
  run_config config = small(test::path(10, 1));
  config.threads_per_block = 48;
  EXPECT_THROW(tested<>{config}, bench::infeasible);
}

/// Of a search from the usual source, without those of its barriers.
double atomics(const run_config& config) {
  const simt::scoped_settings scoped(simt::settings{});
  tested<> search(config);
  EXPECT_TRUE(workload::ending(search).ok());
  return last_launch_counts()["rmw_device_global"] -
         search.measure().at("barriers") * search.blocks();
}

TEST(searches_in_both_directions, choose_the_direction_that_is_less_work) {
  // All leaves look for their hub: no more than the sum of each block.
  EXPECT_LE(atomics(of_input("star/1000")), 1 + 8);
  // A bit is set for each vertex of the chains, while there is more beyond it.
  EXPECT_GE(atomics(small(chains(10, 50))), 10 * 40);
}

TEST(broken_searches_in_both_directions, whose_rounds_start_early_are_rejected) {
  const run_config config = small(chains(20, 60));
  EXPECT_FALSE(is_rejected<tested<flaw::none>>(20, config));
  EXPECT_TRUE(is_rejected<tested<flaw::never_waits>>(20, config));
  EXPECT_TRUE(is_rejected<tested<flaw::leaves_early>>(20, config));
}

TEST(broken_searches_in_both_directions, whose_levels_are_read_stale_are_rejected) {
  const run_config config = small(test::random_graph(2000, 8000, 1));
  EXPECT_FALSE(is_rejected<tested<flaw::none>>(20, config, simt::memory_kind::weak));
  EXPECT_TRUE(is_rejected<tested<flaw::no_release>>(20, config, simt::memory_kind::weak));
  EXPECT_TRUE(is_rejected<tested<flaw::no_acquire>>(20, config, simt::memory_kind::weak));
}

/// One bitmap for all levels: what a round has just found is as good as what it looks for.
class merged_levels : public level_bitmaps {
 public:
  using level_bitmaps::level_bitmaps;
  __device__ cell<std::uint32_t>* of(std::uint32_t) const { return level_bitmaps::of(0); }
  __device__ cell<std::uint32_t>* emptied_in(std::uint32_t) const { return level_bitmaps::of(1); }
};
/// Empties the level that is being found.
class early_emptied_levels : public level_bitmaps {
 public:
  using level_bitmaps::level_bitmaps;
  __device__ cell<std::uint32_t>* emptied_in(std::uint32_t round) const { return of(round + 1); }
};

template <class Levels>
bool rejected_with() {
  run_config config = small(test::random_graph(600, 2400, 1));
  config.threads_per_block = 32;
  return is_rejected<tested<flaw::none, Levels>>(20, config);
}

TEST(broken_searches_in_both_directions, whose_levels_are_mixed_up_are_rejected) {
  EXPECT_FALSE(rejected_with<level_bitmaps>());
  EXPECT_TRUE(rejected_with<merged_levels>());
  EXPECT_TRUE(rejected_with<early_emptied_levels>());
}

}  // namespace
}  // namespace finesync::bfs
