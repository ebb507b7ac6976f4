// Maximum-flow versions with likely mistakes. The verification of the primitives must reject each.
#include "complaints.hpp"
#include "small.hpp"

#include <workloads/maxflow/block_queues.cuh>
#include <workloads/maxflow/worklist/worklist_experiment.cuh>

#include <gtest/gtest.h>
#include <tests/library/locks/broken_tas_locks.cuh>
#include <tests/primitives.hpp>

#include <string>

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

}  // namespace
}  // namespace finesync::maxflow
