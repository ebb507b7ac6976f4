// Maximum-flow versions with likely mistakes. The verification of the primitives must reject each.
#include "complaints.hpp"
#include "small.hpp"

#include <workloads/maxflow/block_queues.cuh>
#include <workloads/maxflow/flows_makers.hpp>
#include <workloads/maxflow/printed/double_buffer.cuh>
#include <workloads/maxflow/printed/server_flow_printed.cuh>
#include <workloads/maxflow/printed/worklist_lock_printed.cuh>
#include <workloads/maxflow/worklist/worklist_experiment.cuh>

#include <tests/library/harness/harness.hpp>
#include <tests/library/locks/broken_tas_locks.cuh>
#include <tests/primitives.hpp>

namespace finesync::maxflow {
namespace {

using test::lock_for_all;
using test::lock_in_two_steps;

/// Does not queue a node that gets its first excess from a push.
struct forgets_receivers : correct_ownership {
  __device__ static bool takes(std::uint64_t /*found*/) { return false; }
};
/// Does not queue a node that has excess left.
struct forgets_the_rest : correct_ownership {
  __device__ static bool keeps(std::uint64_t /*left*/) { return false; }
};
/// Every pusher queues the node, so two blocks push from it, or raise it during a push.
struct takes_what_others_have : correct_ownership {
  __device__ static bool takes(std::uint64_t /*found*/) { return true; }
};

TEST(broken_ownership, with_a_node_in_no_queue_is_rejected) {
  EXPECT_TRUE(says(complaint_of<no_locks<block_queues<forgets_receivers>>>(mesh(5, 5)),
                   "were in no queue"));
  EXPECT_TRUE(
      says(complaint_of<no_locks<block_queues<forgets_the_rest>>>(mesh(5, 5)), "were in no queue"));
}

TEST(broken_ownership, of_two_blocks_is_rejected) {
  EXPECT_NE((complaint_of<no_locks<block_queues<takes_what_others_have>>>(mesh(4, 3))), "");
}

TEST(broken_ownership, unbroken_passes) {
  EXPECT_EQ((complaint_of<no_locks<block_queues<>>>(mesh(5, 5))), "");
}

TEST(broken_locks, are_rejected) {
  EXPECT_NE((complaint_of<locks_of_nodes<lock_for_all<scope::device>>>(mesh(4, 3), 200)), "");
  EXPECT_NE((complaint_of<locks_of_nodes<lock_in_two_steps<scope::device>>>(mesh(4, 3), 200)), "");
  EXPECT_NE((complaint_of<locks_of_both<lock_for_all<scope::device>, in_order>>(mesh(4, 3), 200)),
            "");
  EXPECT_NE(
      (complaint_of<locks_of_both<lock_in_two_steps<scope::device>, in_order>>(mesh(4, 3), 200)),
      "");
}

/// Clears a node's flag only after its step: a thread that pushes meanwhile assumes that the node
/// is still in the worklist.
struct flag_that_goes_down_late : in_queue_flag {
  template <class Crew>
  __device__ bool visit(Crew& all, std::uint32_t node) const {
    const stepped done = step_of(all.net, node);
    const atomic_ref<std::uint32_t, scope::device> own(flags[node]);
    own.exchange(0, memory_order::acquire);
    for (const std::uint32_t next : {done.receiver, done.is_active ? node : no_node}) {
      if (next == no_node) continue;
      const atomic_ref<std::uint32_t, scope::device> flag(flags[next]);
      if (flag.exchange(1, memory_order::release) == 0) all.queue.push(next);
    }
    return true;
  }
};
/// Always set: nodes enter the worklist only at a relabelling.
struct flag_that_stays_up : in_queue_flag {
  template <class Crew>
  __device__ bool visit(Crew& all, std::uint32_t node) const {
    step_of(all.net, node);
    return true;
  }
};

/// One unit over the source's first arc, and no more.
__global__ void push_one(network_ref net) {
  const arc_end first = net.end(net.row_of(net.source()).first);
  net.push_over(first.slot, 1);
}
class one_unit final : public flow_experiment {
 public:
  using flow_experiment::flow_experiment;
  void launch() override { launch_independent(push_one, shape(), net()); }

 protected:
  void begin() override {}
};

TEST(broken_flow, that_is_less_than_the_greatest_is_rejected) {
  const launch_shape alone{.blocks = 1, .threads_per_block = 1};
  one_unit enough(network_of_arcs("unit", 2, {"1 2 1"}), alone);
  EXPECT_EQ(workload::ending(enough).reason, "");
  one_unit less(network_of_arcs("next", 2, {"1 2 7"}), alone);
  EXPECT_EQ(workload::ending(less).reason, "more can flow than does");
  one_unit lost(long_path(3), alone);
  EXPECT_EQ(workload::ending(lost).reason, "-1 more leave vertex 1 than arrive there");
}

/// The whole flow of a path of units, and what it tells of its searches.
__global__ void push_all(network_ref net, progress_ref told, std::uint32_t searches,
                         std::uint32_t levels) {
  for (std::uint32_t node = 0; node + 1 < net.nodes(); ++node)
    for (std::uint32_t i = net.row_of(node).first; i < net.row_of(node).end; ++i)
      if (net.end(i).other == node + 1) net.push_over(net.end(i).slot, 1);
  *told.searches = searches;
  *told.levels = levels;
}

class telling_flow final : public flow_experiment {
 public:
  using flow_experiment::flow_experiment;
  bool passes_with(std::uint32_t searches, std::uint32_t levels) {
    reset();
    launch_independent(push_all, shape(), net(), counts(), searches, levels);
    return verify().ok();
  }
  void launch() override {}

 protected:
  void begin() override {}
};

TEST(broken_flow, whose_levels_are_not_those_of_its_searches_is_rejected) {
  telling_flow tells(network_of_arcs("units", 3, {"1 2 1", "2 3 1"}),
                     {.blocks = 1, .threads_per_block = 1});
  EXPECT_TRUE(tells.passes_with(1, 1));
  EXPECT_TRUE(tells.passes_with(2, 2 + levels_per_bound));
  EXPECT_FALSE(tells.passes_with(0, 0));
  EXPECT_FALSE(tells.passes_with(0, levels_per_bound));
  EXPECT_FALSE(tells.passes_with(1, 0));
  EXPECT_FALSE(tells.passes_with(2, 1 + levels_per_bound));
}

template <class Flag>
struct broken_flags : flags_of_nodes {
  using version = worklist<Flag>;
  using flags_of_nodes::flags_of_nodes;
  version ref() const { return {{{flags_of_nodes::ref().exclusion.flags}}}; }
};

TEST(broken_flags, are_rejected) {
  EXPECT_TRUE(says(complaint_of<broken_flags<flag_that_goes_down_late>>(mesh(4, 4), 2000),
                   "were in no queue"));
  EXPECT_TRUE(says(complaint_of<broken_flags<flag_that_stays_up>>(mesh(4, 4)), "were in no queue"));
}

// Printed forms with likely mistakes. The verification of the primitives must reject each.

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

// What is particular to the printed forms: their list, their rounds, small rings, and sections.

__global__ void append_one_each(double_buffer_ref list) {
  list.empty_the_one_after_next();
  list.append(thread_of_grid());
}
/// Appends what it reads, but for the first one.
__global__ void drop_one(double_buffer_ref list) {
  list.empty_the_one_after_next();
  for (std::uint32_t i = thread_of_grid(); i < list.size(); i += threads_of_grid())
    if (i != 0) list.append(list[i]);
}

void run_round(void (*kernel)(double_buffer_ref), double_buffer& list) {
  launch_independent(kernel, {.blocks = 2, .threads_per_block = 32}, list.ref());
  list.swap();
}

TEST(printed_worklist, passes_its_nodes_from_round_to_round) {
  double_buffer list(64);
  list.reset();
  run_round(append_one_each, list);
  for (std::uint32_t left = 64; left > 56; --left) {
    EXPECT_EQ(list.read().nodes, left);
    run_round(drop_one, list);
  }
  EXPECT_FALSE(list.read().has_lost);
}

TEST(printed_worklist, tells_that_nodes_had_no_room) {
  double_buffer list(63);
  list.reset();
  run_round(append_one_each, list);
  EXPECT_TRUE(list.read().has_lost);
  run_round(drop_one, list);
  EXPECT_EQ(list.read().nodes, 62u);
  EXPECT_TRUE(list.read().has_lost);
  list.reset();
  EXPECT_FALSE(list.read().has_lost);
}

run_config of_two_warps(unsigned rows, unsigned columns) {
  return for_version("server_flow_printed", mesh(rows, columns));
}

TEST(printed_servers, pass_no_barrier_of_the_grid_between_relabellings) {
  const auto one = make_server_flow_printed(of_two_warps(6, 5));
  ASSERT_TRUE(workload::ending(*one).ok());
  EXPECT_EQ(one->measure().at("rounds"), 0);
}

TEST(printed_servers, have_space_in_the_smallest_rings) {
  run_config config = of_two_warps(9, 9);
  config.ring = 32;
  const auto complaint = [&] { return workload::ending(*make_server_flow_printed(config)).reason; };
  EXPECT_EQ(test::first_complaint(test::strong, test::seed_budget(8), complaint), "");
  EXPECT_EQ(test::first_complaint(test::weak, test::seed_budget(8), complaint), "");
}

TEST(printed_servers, need_a_leader_and_a_follower) {
  EXPECT_THROW(make_server_flow_printed(mesh(4, 4)), bench::infeasible);
}

TEST(printed_forms, with_longer_sections_are_right_and_observed) {
  for (const auto make : {make_worklist_lock_printed, make_server_flow_printed}) {
    run_config config = of_two_warps(6, 6);
    config.section_work = 1;
    const auto one = make(config);
    workload::expect_right(*one);
    EXPECT_GT(one->measure().at("lock_acquisitions_per_operation"), 0);
  }
}

}  // namespace
}  // namespace finesync::maxflow
