// Every version, over random schedules and weak memory, on odd networks, random ones and meshes.
#include "small.hpp"

#include <simt/settings.hpp>
#include <workloads/graph_reference/maximum_flow.hpp>
#include <workloads/maxflow/flows.hpp>
#include <workloads/maxflow/locks.hpp>
#include <workloads/maxflow/network/network.hpp>

#include <gtest/gtest.h>
#include <tests/contenders.hpp>
#include <tests/locks/exploration.hpp>

#include <string>
#include <variant>
#include <vector>

namespace finesync::maxflow {
namespace {

std::vector<workload::contender<setup>> versions() {
  auto all = workload::runnable(all_flows());
  for (const auto& each : workload::runnable(all_locks())) all.push_back(each);
  return all;
}

class flows : public ::testing::TestWithParam<workload::contender<setup>> {
 protected:
  /// \param usual seeds with a look for races; of weak memory, a quarter.
  static void expect_right_on_any_schedule(const setup& how, unsigned usual) {
    const auto complaint = [&] { return workload::ending(*GetParam().make(how)).reason; };
    const unsigned seeds = test::seed_budget(usual);
    EXPECT_EQ(test::first_complaint(simt::memory_kind::strong, seeds, complaint), "")
        << how.what.input;
    EXPECT_EQ(test::first_complaint(simt::memory_kind::weak, seeds / 4, complaint), "")
        << how.what.input;
  }
};
INSTANTIATE_TEST_SUITE_P(, flows, ::testing::ValuesIn(versions()), workload::name_of_contender);

TEST_P(flows, of_odd_networks_are_right_on_any_schedule) {
  for (const setup& how : odd_networks()) expect_right_on_any_schedule(how, 16);
}

TEST_P(flows, of_random_networks_are_right_on_any_schedule) {
  for (unsigned seed = 0; seed < 25; ++seed) expect_right_on_any_schedule(random_network(seed), 8);
}

TEST_P(flows, of_meshes_are_right_on_any_schedule) {
  expect_right_on_any_schedule(mesh(4, 3), 200);
  setup padded = mesh(5, 6);
  padded.padded_locks = true;
  expect_right_on_any_schedule(padded, 10);
}

TEST_P(flows, of_meshes_of_any_size_are_right) {
  for (unsigned rows = 3; rows <= 12; rows += 3) {
    for (const unsigned columns : {1u, rows, 13 - rows}) {
      const simt::scoped_settings scoped(
          simt::random_schedule(rows + columns, simt::memory_kind::weak));
      const bench::outcome ended = workload::ending(*GetParam().make(mesh(rows, columns)));
      ASSERT_TRUE(ended.ok()) << rows << " x " << columns << ": " << ended.reason;
    }
  }
}

double value_by_boost(const setup& how) {
  const inputs::flow_network& net = network_of(how.what)->input();
  return static_cast<double>(graph_reference::maximum_flow(net));
}

TEST_P(flows, have_the_values_that_boost_finds) {
  std::vector<setup> all = odd_networks();
  for (unsigned seed = 100; seed < 120; ++seed) all.push_back(random_network(seed));
  for (unsigned rows = 3; rows <= 12; rows += 3) all.push_back(mesh(rows, 14 - rows));
  for (const setup& how : all) {
    const auto one = GetParam().make(how);
    const bench::outcome ended = workload::ending(*one);
    ASSERT_TRUE(ended.ok()) << how.what.input << ": " << ended.reason;
    EXPECT_EQ(one->measure().at("value"), value_by_boost(how)) << how.what.input;
  }
}

TEST_P(flows, are_right_after_a_reset_with_other_grids) {
  setup other = mesh(7, 5);
  other.threads_per_block = 64;
  other.steps = 1;
  other.work_percent = 1000;
  workload::expect_right(*GetParam().make(other));
}

TEST_P(flows, run_in_as_many_blocks_as_fit) {
  if (GetParam().name == std::string("server_flow")) GTEST_SKIP() << "a message is for a block";
  setup full = mesh(4, 4);
  full.threads_per_block = 256;
  full.blocks_per_sm = 0;
  const auto one = GetParam().make(full);
  EXPECT_GT(std::get<long long>(one->ran().at("blocks")), 0);
  workload::expect_right(*one);
}

TEST_P(flows, need_whole_warps) {
  setup odd = mesh(3, 3);
  odd.threads_per_block = 48;
  EXPECT_THROW(GetParam().make(odd), bench::infeasible);
}

TEST_P(flows, say_what_ran) {
  const auto one = GetParam().make(mesh(6, 7));
  workload::expect_right(*one);
  const bench::facts ran = one->ran();
  EXPECT_EQ(std::get<long long>(ran.at("nodes")), 6 * 7 + 2);
  EXPECT_EQ(std::get<long long>(ran.at("arcs")), 2 * (3 * 6 * 7 - 6));
  EXPECT_EQ(one->operations(), 2 * (3.0 * 6 * 7 - 6));
}

TEST_P(flows, notice_that_nobody_has_pushed) {
  const auto one = GetParam().make(mesh(4, 4));
  one->reset();
  EXPECT_EQ(one->verify().what, bench::status::wrong);
}

}  // namespace
}  // namespace finesync::maxflow
