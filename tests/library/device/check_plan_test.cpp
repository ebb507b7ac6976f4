// The environment's words for a check: which runs they ask for, and what is wrong with them.
#include <finesync/host/executor/check_plan.hpp>
#include <finesync/host/machine_options.hpp>

#include <gtest/gtest.h>
#include <tests/refusal.hpp>

#include <map>
#include <stdexcept>
#include <string>

namespace finesync::detail {
namespace {

using variables = std::map<std::string, std::string>;

environment with(const variables& set) {
  return [set](const char* name) {
    const auto found = set.find(name);
    return found == set.end() ? std::string() : found->second;
  };
}

std::string complaint_of(const variables& set) {
  return test::refusal_of<std::invalid_argument>([&] {
    plan_of(with(set));
    gpu_to_imitate(with(set));
  });
}

TEST(check_plan, is_empty_without_a_word) {
  EXPECT_EQ(plan_of(with({})).runs(), 0u);
  EXPECT_EQ(plan_of(with({{"FINESYNC_CHECK", ""}})).runs(), 0u);
}

TEST(check_plan, has_a_run_for_each_seed) {
  const check_plan plan = plan_of(with({{"FINESYNC_CHECK", "weak"}, {"FINESYNC_SEEDS", "3"}}));
  ASSERT_EQ(plan.runs(), 3u);
  EXPECT_EQ(plan.run(0), (check_run{"weak", 1}));
  EXPECT_EQ(plan.run(2), (check_run{"weak", 3}));
  EXPECT_EQ(plan_of(with({{"FINESYNC_CHECK", "races"}})).runs(), 100u);
}

TEST(check_plan, has_a_run_for_each_seed_in_both_modes) {
  const check_plan plan =
      plan_of(with({{"FINESYNC_CHECK", "races,weak"}, {"FINESYNC_SEEDS", "2"}}));
  ASSERT_EQ(plan.runs(), 4u);
  EXPECT_EQ(plan.run(0), (check_run{"races", 1}));
  EXPECT_EQ(plan.run(1), (check_run{"weak", 1}));
  EXPECT_EQ(plan.run(3), (check_run{"weak", 2}));
}

TEST(check_plan, repeats_one_seed) {
  const check_plan plan = plan_of(with({{"FINESYNC_CHECK", "races"}, {"FINESYNC_SEED", "17"}}));
  ASSERT_EQ(plan.runs(), 1u);
  EXPECT_EQ(plan.run(0), (check_run{"races", 17}));
}

TEST(check_plan, searches_for_races_in_strong_memory) {
  const simt::gpu_model gpu = gpu_to_imitate(with({{"FINESYNC_GPU", "h200"}}));
  const simt::settings races = check_run{"races", 5}.settings_on(gpu);
  EXPECT_EQ(races.check, simt::checking::races);
  EXPECT_EQ(races.memory, simt::memory_kind::strong);
  EXPECT_EQ(races.schedule, simt::schedule_kind::random);
  EXPECT_EQ(races.seed, 5u);
  EXPECT_EQ(races.gpu.name, "h200");
  const simt::settings weak = check_run{"weak", 6}.settings_on(gpu);
  EXPECT_EQ(weak.check, simt::checking::none);
  EXPECT_EQ(weak.memory, simt::memory_kind::weak);
  EXPECT_EQ(weak.schedule, simt::schedule_kind::random);
}

TEST(check_plan, is_what_programs_with_options_begin_with) {
  const simt::settings before = simt::initial_settings();
  simt::initial_settings() = check_run{"races", 7}.settings_on(simt::find_gpu_model("h200"));
  variables defaults;
  for (const machine_option& option : machine_options())
    defaults[option.name] = option.default_value;
  simt::initial_settings() = before;
  EXPECT_EQ(defaults["check"], "races");
  EXPECT_EQ(defaults["schedule"], "random");
  EXPECT_EQ(defaults["memory"], "strong");
  EXPECT_EQ(defaults["seed"], "7");
  EXPECT_EQ(defaults["gpu"], "h200");
}

TEST(check_plan, says_in_one_line_what_a_word_can_be) {
  EXPECT_EQ(complaint_of({{"FINESYNC_CHECK", "race"}}),
            "FINESYNC_CHECK is 'race'; it can be races, weak (memory), or races,weak");
  EXPECT_EQ(complaint_of({{"FINESYNC_SEEDS", "9"}}),
            "FINESYNC_SEEDS needs FINESYNC_CHECK: races, weak, or races,weak");
  EXPECT_EQ(complaint_of({{"FINESYNC_SEED", "9"}}),
            "FINESYNC_SEED needs FINESYNC_CHECK: races, weak, or races,weak");
  for (const char* text : {"0", "ten", "5x", "-1", "1e3", "99999999999999999999"}) {
    EXPECT_EQ(complaint_of({{"FINESYNC_CHECK", "races"}, {"FINESYNC_SEEDS", text}}),
              "FINESYNC_SEEDS is '" + std::string(text) + "'; it can be a whole number from 1");
  }
  EXPECT_EQ(
      complaint_of({{"FINESYNC_CHECK", "races"}, {"FINESYNC_SEEDS", "2"}, {"FINESYNC_SEED", "3"}}),
      "FINESYNC_SEEDS says how many, FINESYNC_SEED which one: set one");
  EXPECT_EQ(complaint_of({{"FINESYNC_GPU", "b200"}}),
            "unknown GPU 'b200': known are small, compact, gtx1080ti, titanv, rtx2080ti, h100, "
            "h200");
}

}  // namespace
}  // namespace finesync::detail
