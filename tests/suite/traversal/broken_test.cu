// Searches with broken barriers, and with broken ways to launch their levels. The verification of
// the correct ones must reject each.
#include "small.hpp"

#include <finesync/host/machine.cuh>
#include <workloads/traversal/barrier_experiment.cuh>
#include <workloads/traversal/relaunch/relaunched_search.cuh>

#include <tests/rejection.hpp>
#include <tests/suite/barrier_program/breakable_barrier.cuh>

namespace finesync::traversal {
namespace {

using test::breakable_barrier;
using test::flaw;
using test::is_rejected;

/// From each vertex to three others: who misses one misses all behind it.
test::small_graph tree() {
  test::small_graph made{"tree", 400};
  for (std::uint32_t i = 1; i < made.vertices; ++i)
    made.edges.push_back({(i - 1) / 3, i, 1 + i % 7});
  return made;
}

/// Paths beside each other, more than the queues of four blocks of one warp hold: the pool is in
/// use in every round.
run_config full_queues(barrier_form form) {
  constexpr std::uint32_t paths = 400;
  test::small_graph made{"paths", 1 + 12 * paths};
  for (std::uint32_t i = 1; i < made.vertices; ++i)
    made.edges.push_back({i <= paths ? 0 : i - paths, i, 1});
  run_config config = small(made, form);
  config.threads_per_block = 32;
  config.blocks_per_sm = 1;
  return config;
}

template <flaw Flaw>
const unsigned seeds = Flaw == flaw::none ? test::seed_budget(20) : 20;

template <flaw Flaw, barrier_form Form>
bool rejected_with_full_queues() {
  return is_rejected<barrier_experiment<breadth_first, breakable_barrier<Flaw>, Form>>(
      seeds<Flaw>, full_queues(Form), simt::memory_kind::weak);
}

template <class Kind, flaw Flaw, barrier_form Form = barrier_form::blocking>
bool rejected(simt::memory_kind memory = simt::memory_kind::strong) {
  return is_rejected<barrier_experiment<Kind, breakable_barrier<Flaw>, Form>>(
      seeds<Flaw>, small(tree(), Form), memory);
}

TEST(broken_searches, unbroken_pass) {
  EXPECT_FALSE((rejected<breadth_first, flaw::none>()));
  EXPECT_FALSE((rejected<shortest_paths, flaw::none>()));
  EXPECT_FALSE((rejected<breadth_first, flaw::none, barrier_form::split_phase>()));
  EXPECT_FALSE((rejected<shortest_paths, flaw::none, barrier_form::split_phase>()));
  EXPECT_FALSE((rejected<breadth_first, flaw::none, barrier_form::overlapped>()));
  EXPECT_FALSE((rejected<shortest_paths, flaw::none, barrier_form::overlapped>()));
}
TEST(broken_searches, whose_rounds_start_early_are_rejected) {
  EXPECT_TRUE((rejected<breadth_first, flaw::never_waits>()));
  EXPECT_TRUE((rejected<breadth_first, flaw::leaves_early>()));
  EXPECT_TRUE((rejected<shortest_paths, flaw::never_waits>()));
  EXPECT_TRUE((rejected<breadth_first, flaw::never_waits, barrier_form::overlapped>()));
  EXPECT_TRUE((rejected<breadth_first, flaw::never_waits, barrier_form::split_phase>()));
  EXPECT_TRUE((rejected<breadth_first, flaw::leaves_early, barrier_form::split_phase>()));
  EXPECT_TRUE((rejected<shortest_paths, flaw::never_waits, barrier_form::split_phase>()));
}
TEST(broken_searches, whose_pool_is_read_stale_are_rejected) {
  using enum barrier_form;
  EXPECT_FALSE((rejected_with_full_queues<flaw::none, blocking>()));
  EXPECT_TRUE((rejected_with_full_queues<flaw::no_release, blocking>()));
  EXPECT_TRUE((rejected_with_full_queues<flaw::no_acquire, blocking>()));
  EXPECT_FALSE((rejected_with_full_queues<flaw::none, split_phase>()));
  EXPECT_TRUE((rejected_with_full_queues<flaw::no_release, split_phase>()));
  EXPECT_TRUE((rejected_with_full_queues<flaw::no_acquire, split_phase>()));
}
TEST(broken_searches, that_run_no_work_in_the_barrier_are_rejected) {
  EXPECT_TRUE((rejected<breadth_first, flaw::skips_work, barrier_form::overlapped>()));
}

__global__ void tell(cell<std::uint32_t>* distances, std::uint32_t vertices, std::uint32_t weight,
                     cell<std::uint32_t>* rounds, std::uint32_t one, std::uint32_t other) {
  for (std::uint32_t i = 0; i < vertices; ++i) distances[i] = i * weight;
  rounds[0] = one;
  rounds[1] = other;
}

// What is held back, and how entries are divided, changes no distance, but how long a search takes.
// These are the rounds, and the atomic operations of the last kernel, where nothing is random.
template <class Search>
void expect_work(long long rounds, double atomics) {
  const simt::scoped_settings scoped(simt::settings{});
  run_config config = small({"one", 1});
  config.input = "grid/24";
  Search search(config);
  EXPECT_TRUE(workload::ending(search).ok());
  EXPECT_EQ(search.computed().at("rounds"), rounds);
  EXPECT_EQ(last_launch_counts()["rmw_device_global"], atomics);
}

TEST(searches_by_weights, take_as_long_as_their_threshold_lets_them) {
  using enum barrier_form;
  using barrier = breakable_barrier<flaw::none>;
  expect_work<barrier_experiment<shortest_paths, barrier, blocking>>(65, 2894);
  expect_work<barrier_experiment<shortest_paths, barrier, split_phase>>(65, 1781);
  expect_work<barrier_experiment<shortest_paths, barrier, overlapped>>(82, 2486);
  expect_work<relaunched_search<shortest_paths, levels_in_stream>>(55, 0);
}

/// Finds a path of arcs of one weight by itself, and tells other rounds.
class telling_experiment final : public distances_experiment {
 public:
  telling_experiment(const run_config& config, std::uint32_t weight)
      : distances_experiment(config, weight != 1), weight_(weight) {}
  bool passes_with(std::uint32_t one, std::uint32_t other) {
    reset();
    launch_independent(tell, shape(), distances(), graph().vertices(), weight_, rounds_words(), one,
                       other);
    return verify().ok();
  }
  void launch() override {}

 private:
  launch_shape shape() const override { return {.blocks = 1, .threads_per_block = 1}; }
  std::uint32_t weight_;
};

TEST(broken_counts, of_rounds_are_rejected) {
  for (const std::uint32_t weight : {1u, 3u}) {
    test::small_graph path{"path-of-" + std::to_string(weight), 6};
    for (std::uint32_t i = 1; i < path.vertices; ++i) path.edges.push_back({i - 1, i, weight});
    telling_experiment tells(small(path), weight);
    EXPECT_TRUE(tells.passes_with(5, 5));
    EXPECT_TRUE(tells.passes_with(6, 6));
    EXPECT_FALSE(tells.passes_with(0, 0));
    EXPECT_FALSE(tells.passes_with(4, 4));
    EXPECT_FALSE(tells.passes_with(5, 6));
    EXPECT_FALSE(tells.passes_with(6, 5));
  }
}

template <class Kind>
__global__ void follow_two_levels(search_ref search, cell<std::uint64_t>* kept, unsigned level) {
  follow_level<Kind>(search, kept, level);
  follow_level<Kind>(search, kept, level + 1);
}

/// Two levels in a kernel, as if the second were launched before the first has ended.
template <class Kind>
class levels_that_start_early {
 public:
  static constexpr bool runs_to_the_end = false;

  explicit levels_that_start_early(const levels_to_launch<Kind>& levels) : levels_(levels) {}
  void launch() {
    for (unsigned level = 0; level < 2 * levels_in_turn; level += 2)
      launch_independent(follow_two_levels<Kind>, levels_.shape, levels_.search, levels_.kept,
                         level);
  }

 private:
  levels_to_launch<Kind> levels_;
};

/// A loop that looks at the number of entries before the level that makes them has run.
template <class Kind>
class levels_counted_early {
 public:
  static constexpr bool runs_to_the_end = true;

  explicit levels_counted_early(const levels_to_launch<Kind>& levels) {
    launch_independent(graph_, end_without_next_entries, {.blocks = 1, .threads_per_block = 1},
                       levels.search.frontier, graph_.repetition());
    levels.append_to(graph_);
  }
  void launch() { graph_.launch(); }

 private:
  static __global__ void end_without_next_entries(frontier_ref all, repetition_ref repetition) {
    if (all.pool_length(1) == 0) repetition.end();
  }

  repeated_graph graph_;
};

template <class Kind, template <class> class Way>
bool launched_so_is_rejected(const test::small_graph& graph) {
  return is_rejected<relaunched_search<Kind, Way<Kind>>>(20, small(graph));
}
template <class>
using right_levels = levels_in_loop;

TEST(broken_relaunches, unbroken_pass) {
  EXPECT_FALSE((launched_so_is_rejected<breadth_first, right_levels>(tree())));
  EXPECT_FALSE((launched_so_is_rejected<shortest_paths, right_levels>(tree())));
  EXPECT_FALSE((launched_so_is_rejected<breadth_first, right_levels>(test::path(40, 3))));
}
TEST(broken_relaunches, whose_levels_start_early_are_rejected) {
  EXPECT_TRUE((launched_so_is_rejected<breadth_first, levels_that_start_early>(tree())));
  EXPECT_TRUE((launched_so_is_rejected<shortest_paths, levels_that_start_early>(tree())));
}
TEST(broken_relaunches, that_count_before_a_level_has_ended_are_rejected) {
  EXPECT_TRUE((launched_so_is_rejected<breadth_first, levels_counted_early>(test::path(40, 3))));
}

}  // namespace
}  // namespace finesync::traversal
