// Which plan a barrier takes from a table, which table a GPU takes, and what is no table.
#include <workloads/barrier/plan_tables/plan_tables.hpp>

#include <gtest/gtest.h>
#include <tests/refusal.hpp>

#include <fstream>
#include <stdexcept>
#include <string>
#include <vector>

namespace finesync::barrier {
namespace {

/// A table whose plans can be told by their counters.
constexpr measured_plan some_plans[] = {
    {100, 64, {.counters = 1}},
    {200, 64, {.counters = 2}},
    {100, 256, {.counters = 3}},
};
constexpr plan_table some{"some", some_plans};

TEST(plan_for, takes_the_first_plan_that_is_large_enough_or_else_the_last) {
  EXPECT_EQ(plan_for(some, 1, 1).counters, 1u);
  EXPECT_EQ(plan_for(some, 100, 64).counters, 1u);
  EXPECT_EQ(plan_for(some, 101, 64).counters, 2u);
  EXPECT_EQ(plan_for(some, 1000, 64).counters, 2u);
  EXPECT_EQ(plan_for(some, 101, 65).counters, 3u);
  EXPECT_EQ(plan_for(some, 1, 1024).counters, 3u) << "no plan is for blocks so large";
}

TEST(plans, are_in_order) {
  using enum counter_topology;
  EXPECT_TRUE(is_in_order(some_plans));
  EXPECT_FALSE(is_in_order({}));
  EXPECT_FALSE(is_in_order(std::vector<measured_plan>{{200, 64, {}}, {100, 64, {}}}));
  EXPECT_FALSE(is_in_order(std::vector<measured_plan>{{100, 64, {}}, {100, 64, {}}}));
  EXPECT_FALSE(is_in_order(std::vector<measured_plan>{{100, 256, {}}, {200, 64, {}}}));
}

constexpr std::size_t mib = 1 << 20;
constexpr measured_gpu gpus[] = {
    {"Big", 9.0, 132, 60 * mib, {"big", some_plans}},
    {"Small L2", 9.0, 132, 50 * mib, {"small-l2", some_plans}},
    {"Few SMs", 9.0, 60, 50 * mib, {"few-sms", some_plans}},
    {"Old", 7.5, 132, 4 * mib, {"old", some_plans}},
};

std::string_view table_for(const char* name, const char* capability, int sms, std::size_t l2) {
  gpu_properties gpu;
  gpu.name = name;
  gpu.compute_capability = capability;
  gpu.sms = sms;
  gpu.l2_bytes = l2;
  return nearest_gpu(gpu, gpus).table.name;
}

TEST(nearest_gpu, goes_by_name_then_capability_then_sms_then_l2) {
  EXPECT_EQ(table_for("Old", "9.0", 132, 60 * mib), "old") << "its name is known";
  EXPECT_EQ(table_for("New", "9.0", 132, 60 * mib), "big");
  EXPECT_EQ(table_for("New", "9.0", 114, 50 * mib), "small-l2");
  EXPECT_EQ(table_for("New", "9.0", 80, 60 * mib), "few-sms");
  EXPECT_EQ(table_for("New", "7.0", 60, 60 * mib), "old");
  EXPECT_EQ(table_for("New", "12.0", 170, 100 * mib), "big");
}

TEST(plan_tables, are_one_for_each_measured_gpu) {
  EXPECT_EQ(known_plan_tables().front(), "auto");
  EXPECT_TRUE(loaded_plans("auto", "auto").table().plans.empty());
  for (const measured_gpu& each : measured_gpus) {
    const std::string name(each.table.name);
    const loaded_plans loaded(name, name);
    EXPECT_EQ(loaded.table().name, name);
    EXPECT_TRUE(is_in_order(loaded.table().plans)) << name;
  }
}

/// The library's own files, which the compiler includes, as a program reads them.
TEST(plan_tables, mean_the_same_to_the_compiler_and_to_a_program) {
  for (const measured_gpu& each : measured_gpus) {
    const std::string name(each.table.name);
    const loaded_plans loaded("mine", FINESYNC_PLANS "/" + name + ".inc");
    EXPECT_EQ(loaded.table().name, "mine");
    ASSERT_EQ(loaded.table().plans.size(), each.table.plans.size());
    for (std::size_t i = 0; i < each.table.plans.size(); ++i) {
      const measured_plan& compiled = each.table.plans[i];
      const measured_plan read = loaded.table().plans[i];
      EXPECT_EQ(read.blocks, compiled.blocks);
      EXPECT_EQ(read.threads_per_block, compiled.threads_per_block);
      EXPECT_EQ(read.plan.how, compiled.plan.how);
      EXPECT_EQ(read.plan.counters, compiled.plan.counters);
      EXPECT_EQ(read.plan.replicas, compiled.plan.replicas);
      EXPECT_EQ(read.plan.sides, compiled.plan.sides);
      EXPECT_EQ(read.plan.first_poll, compiled.plan.first_poll);
    }
  }
}

std::string complaint_about(const std::string& text) {
  return test::refusal_of<std::runtime_error>([&] { parse_plans(text, "mine.inc"); });
}

TEST(plan_tables, that_are_wrong_are_refused_in_one_line) {
  const std::string good = "{132, 64, {counter_topology::flat_counters, 1, 1, 2, 230}},\n";
  EXPECT_EQ(complaint_about("// a comment\n\n" + good), "");
  EXPECT_EQ(complaint_about(""), "mine.inc: has no plan");
  EXPECT_EQ(complaint_about("// only words\n"), "mine.inc: has no plan");
  EXPECT_EQ(complaint_about(good + "{264, 64}\n"),
            "mine.inc:2: not of the form {blocks, threads, {counter_topology::NAME, counters, "
            "replicas, sides, first poll}},");
  EXPECT_EQ(complaint_about(good + good), "mine.inc:2: not in the order of threads, then blocks");
  for (const char* plan :
       {"{132, 64, {counter_topology::tree, 1, 1, 2, 230}},",
        "{0, 64, {counter_topology::flat_counters, 1, 1, 2, 230}},",
        "{132, 1025, {counter_topology::flat_counters, 1, 1, 2, 230}},",
        "{132, 64, {counter_topology::flat_counters, 33, 1, 2, 230}},",
        "{132, 64, {counter_topology::flat_counters, 1, 17, 2, 230}},",
        "{132, 64, {counter_topology::flat_counters, 1, 1, 3, 230}},",
        "{132, 64, {counter_topology::flat_counters, 1, 1, 2, 99999999999999999999999}},"})
    EXPECT_EQ(complaint_about(plan), "mine.inc:1: no barrier has such a plan") << plan;
}

TEST(plan_tables, must_be_there) {
  EXPECT_THROW(loaded_plans("x", "no/such/file.inc"), std::runtime_error);
  EXPECT_THROW(loaded_plans("x", "/"), std::runtime_error) << "a folder";
}

}  // namespace
}  // namespace finesync::barrier
