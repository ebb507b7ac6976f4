// What is particular to the printed forms: their list, their rounds, small rings, and sections.
#include "small.hpp"

#include <finesync/host/launch.cuh>
#include <simt/settings.hpp>
#include <workloads/maxflow/flows_makers.hpp>
#include <workloads/maxflow/printed/double_buffer.cuh>

#include <gtest/gtest.h>
#include <tests/library/locks/exploration.hpp>
#include <tests/primitives.hpp>

#include <cstdint>
#include <string>

namespace finesync::maxflow {
namespace {

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
  EXPECT_EQ(test::first_complaint(simt::memory_kind::strong, test::seed_budget(8), complaint), "");
  EXPECT_EQ(test::first_complaint(simt::memory_kind::weak, test::seed_budget(8), complaint), "");
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
