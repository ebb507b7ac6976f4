// Printed forms with likely mistakes. The verification of the primitives must reject each.
#include "complaints.hpp"
#include "small.hpp"

#include <workloads/maxflow/printed/server_flow_printed.cuh>
#include <workloads/maxflow/printed/worklist_lock_printed.cuh>

#include <gtest/gtest.h>
#include <tests/library/locks/broken_tas_locks.cuh>

#include <string>

namespace finesync::maxflow {
namespace {

using test::lock_for_all;
using test::lock_in_two_steps;

template <class Lock>
std::string complaint_of_worklist(unsigned seeds = 200) {
  return complaint_of_experiment<worklist_lock_experiment<Lock>>(mesh(4, 3), seeds);
}

TEST(broken_printed_worklist, of_locks_that_do_not_exclude_is_rejected) {
  EXPECT_NE(complaint_of_worklist<lock_for_all<scope::device>>(), "");
  EXPECT_NE(complaint_of_worklist<lock_in_two_steps<scope::device>>(), "");
}

TEST(broken_printed_worklist, unbroken_passes) {
  EXPECT_EQ(complaint_of_worklist<tas_lock<scope::device>>(test::seed_budget(200)), "");
}

TEST(printed_worklist, without_room_for_all_is_right) {
  using in_small_lists = worklist_lock_experiment<tas_lock<scope::device>, 5>;
  EXPECT_EQ(complaint_of_experiment<in_small_lists>(mesh(8, 8), test::seed_budget(20)), "");
}

/// Counts a round that no launch tells of.
struct round_untold final : launched_experiment {
  round_untold() : launched_experiment(network_of_arcs("direct", 2, {"1 2 1"}), {1, 32}, 0) {}
  void begin() override { count_round(); }
  bool work(std::uint32_t /*steps*/) override { return false; }
};

TEST(broken_launches, of_which_a_round_is_not_told_are_rejected) {
  round_untold one;
  EXPECT_EQ(workload::ending(one).reason, "1 rounds are not reported");
}

template <class Rules>
std::string complaint_of_servers(unsigned seeds = 40) {
  run_config config = mesh(5, 5);
  config.threads_per_block = 96;
  return complaint_of<printed_servers<Rules>>(config, seeds);
}

/// Sends no message for a node that gets its first excess.
struct wakes_nobody : correct_messages {
  __device__ static bool wakes(const stepped& /*done*/) { return false; }
};
/// Sends a message with each push, so that two lanes have one node, and no lock keeps them apart.
struct wakes_all_without_lock {
  using lock = lock_for_all<scope::block>;
  __device__ static bool wakes(const stepped& done) { return done.receiver != no_node; }
};
/// The same under the lock: more messages, and a right result.
struct wakes_all : correct_messages {
  __device__ static bool wakes(const stepped& done) { return done.receiver != no_node; }
};

TEST(broken_printed_servers, are_rejected) {
  EXPECT_TRUE(says(complaint_of_servers<wakes_nobody>(), "were in no queue"));
  EXPECT_NE(complaint_of_servers<wakes_all_without_lock>(200), "");
}

TEST(broken_printed_servers, unbroken_pass) {
  EXPECT_EQ(complaint_of_servers<correct_messages>(test::seed_budget(15)), "");
  EXPECT_EQ(complaint_of_servers<wakes_all>(test::seed_budget(15)), "");
}

}  // namespace
}  // namespace finesync::maxflow
