// Graphs of tasks: what is made, and what is refused.
#include <workloads/taskgraph/task_graph.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <stdexcept>
#include <string>

namespace finesync::taskgraph {
namespace {

/// Tasks 0 and 1 arrive at event 0; task 2 waits for it. Task 2 arrives at event 1; task 3 waits.
task_graph funnel() {
  return {.tasks = {{no_event, 0}, {no_event, 0}, {0, 1}, {1, no_event}},
          .layer_begins = {0, 2, 3, 4},
          .arrivals = {2, 1}};
}

std::string complaint(const task_graph& graph) {
  try {
    check(graph);
    return "";
  } catch (const std::invalid_argument& why) {
    return why.what();
  }
}

TEST(task_graph, of_the_default_has_the_size_of_a_language_model) {
  const task_graph graph = random_graph({});
  EXPECT_EQ(graph.tasks.size(), 12012u);
  EXPECT_EQ(graph.arrivals.size(), 540u);
  EXPECT_EQ(graph.layers(), 91u);
  EXPECT_EQ(*std::ranges::min_element(graph.arrivals), 1u);
  EXPECT_EQ(*std::ranges::max_element(graph.arrivals), 32u);
  EXPECT_EQ(complaint(graph), "");
}

TEST(task_graph, is_sound_whatever_its_shape) {
  for (unsigned seed = 0; seed < 50; ++seed)
    for (const unsigned width : {1u, 2u, 7u, 40u})
      for (const unsigned events : {1u, width}) {
        const task_graph graph = random_graph({.layers = 1 + seed % 5,
                                               .tasks_per_layer = width,
                                               .events_per_layer = events,
                                               .most_inputs = 1 + seed % 9,
                                               .seed = seed});
        EXPECT_EQ(complaint(graph), "");
        for (const auto& waiters : graph.consumers()) EXPECT_FALSE(waiters.empty());
        for (const std::uint32_t arrivals : graph.arrivals) EXPECT_LE(arrivals, 1 + seed % 9);
      }
}

TEST(task_graph, follows_from_its_seed) {
  const auto waits = [](unsigned seed) {
    std::vector<std::uint32_t> found;
    for (const task_node& each : random_graph({.layers = 3, .seed = seed}).tasks)
      found.push_back(each.waits_for);
    return found;
  };
  EXPECT_EQ(waits(3), waits(3));
  EXPECT_NE(waits(3), waits(4));
}

TEST(task_graph, may_have_uneven_tasks) {
  const task_graph graph = random_graph({.uneven = true});
  std::uint64_t sum = 0;
  for (const task_node& each : graph.tasks) {
    EXPECT_GE(each.length, 200u);
    EXPECT_LE(each.length, 1800u);
    sum += each.length;
  }
  EXPECT_NEAR(static_cast<double>(sum) / static_cast<double>(graph.tasks.size()), 1000, 20);
}

TEST(task_graph, that_cannot_be_is_refused) {
  EXPECT_THROW(random_graph({.tasks_per_layer = 5, .events_per_layer = 6}), std::invalid_argument);
  EXPECT_THROW(random_graph({.layers = 0}), std::invalid_argument);
  EXPECT_NO_THROW(random_graph({.layers = 1, .tasks_per_layer = 5, .events_per_layer = 6}));
}

TEST(task_graph, with_a_cycle_is_refused) {
  task_graph graph = funnel();
  EXPECT_EQ(complaint(graph), "");
  graph.tasks[0].waits_for = 1;  // so 0 waits for 2, and 2 for 0
  EXPECT_EQ(
      complaint(graph),
      "task graph: task 0 never starts: it waits, by way of event 1, for itself or for a task "
      "that does");
  graph = funnel();
  graph.tasks[2].arrives_at = 0;  // its own
  graph.arrivals = {3, 0};
  EXPECT_NE(complaint(graph).find("task 2 never starts"), std::string::npos);
}

TEST(task_graph, with_wrong_counts_is_refused) {
  task_graph graph = funnel();
  graph.arrivals[0] = 3;
  EXPECT_EQ(complaint(graph), "task graph: event 0 waits for 3 arrivals, and 2 tasks arrive at it");
  graph.arrivals[0] = 1;
  EXPECT_EQ(complaint(graph), "task graph: event 0 waits for 1 arrivals, and 2 tasks arrive at it");
  graph = funnel();
  graph.tasks[3].waits_for = 2;
  EXPECT_EQ(complaint(graph), "task graph: task 3 names event 2, and there are 2");
}

TEST(task_graph, whose_layers_are_in_another_order_is_refused) {
  task_graph graph = funnel();
  graph.layer_begins = {0, 3, 4};
  EXPECT_EQ(complaint(graph),
            "task graph: task 2 of layer 0 waits for a task of a layer that is not earlier");
  graph.layer_begins = {0, 2, 3};
  EXPECT_EQ(complaint(graph), "task graph: its layers are not its tasks");
}

TEST(task_graph, has_outputs_that_follow_from_the_inputs) {
  const auto right = right_outputs(funnel(), 7);
  EXPECT_EQ(right[0], own_number(0));
  EXPECT_EQ(right[2], own_number(2) + 7 * (own_number(0) + own_number(1)));
  EXPECT_EQ(right[3], own_number(3) + 7 * right[2]);
}

}  // namespace
}  // namespace finesync::taskgraph
