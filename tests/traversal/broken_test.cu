// Searches with broken barriers. The verification of the correct ones must reject each.
#include "small.hpp"

#include <simt/settings.hpp>
#include <workloads/traversal/barrier_experiment.cuh>

#include <gtest/gtest.h>
#include <tests/barrier_program/breakable_barrier.cuh>
#include <tests/rejection.hpp>

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
run_config full_queues() {
  constexpr std::uint32_t paths = 400;
  test::small_graph made{"paths", 1 + 12 * paths};
  for (std::uint32_t i = 1; i < made.vertices; ++i)
    made.edges.push_back({i <= paths ? 0 : i - paths, i, 1});
  run_config config = small(made);
  config.threads_per_block = 32;
  config.blocks_per_sm = 1;
  return config;
}

template <flaw Flaw>
bool rejected_with_full_queues() {
  return is_rejected<
      barrier_experiment<breadth_first, breakable_barrier<Flaw>, barrier_form::blocking>>(
      20, full_queues(), simt::memory_kind::weak);
}

template <class Kind, flaw Flaw, barrier_form Form = barrier_form::blocking>
bool rejected(simt::memory_kind memory = simt::memory_kind::strong) {
  return is_rejected<barrier_experiment<Kind, breakable_barrier<Flaw>, Form>>(
      20, small(tree(), Form), memory);
}

TEST(broken_searches, unbroken_pass) {
  EXPECT_FALSE((rejected<breadth_first, flaw::none>()));
  EXPECT_FALSE((rejected<shortest_paths, flaw::none>()));
  EXPECT_FALSE((rejected<breadth_first, flaw::none, barrier_form::overlapped>()));
  EXPECT_FALSE((rejected<shortest_paths, flaw::none, barrier_form::overlapped>()));
}
TEST(broken_searches, whose_rounds_start_early_are_rejected) {
  EXPECT_TRUE((rejected<breadth_first, flaw::never_waits>()));
  EXPECT_TRUE((rejected<breadth_first, flaw::leaves_early>()));
  EXPECT_TRUE((rejected<shortest_paths, flaw::never_waits>()));
  EXPECT_TRUE((rejected<breadth_first, flaw::never_waits, barrier_form::overlapped>()));
}
TEST(broken_searches, whose_pool_is_read_stale_are_rejected) {
  EXPECT_FALSE(rejected_with_full_queues<flaw::none>());
  EXPECT_TRUE(rejected_with_full_queues<flaw::no_release>());
  EXPECT_TRUE(rejected_with_full_queues<flaw::no_acquire>());
}
TEST(broken_searches, that_run_no_work_in_the_barrier_are_rejected) {
  EXPECT_TRUE((rejected<breadth_first, flaw::skips_work, barrier_form::overlapped>()));
}

}  // namespace
}  // namespace finesync::traversal
