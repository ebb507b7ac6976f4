// Every version, over random schedules and weak memory, on odd networks, random ones and meshes.
#include "small.hpp"

#include <bench/experiment.hpp>
#include <inputs/input_error.hpp>
#include <workloads/graph_reference/maximum_flow.hpp>
#include <workloads/maxflow/flows.hpp>
#include <workloads/maxflow/locks.hpp>
#include <workloads/maxflow/network/network.hpp>

#include <tests/library/harness/harness.hpp>
#include <tests/primitives.hpp>
#include <tests/suite/inputs/graphs/known_values.hpp>

#include <variant>

namespace finesync::maxflow {
namespace {

std::vector<workload::catalogue_entry<run_config>> versions() {
  auto all = workload::runnable(all_flows());
  for (const auto& each : workload::runnable(all_locks())) all.push_back(each);
  return all;
}

class flows : public ::testing::TestWithParam<workload::catalogue_entry<run_config>> {
 protected:
  static std::unique_ptr<bench::experiment> make(const run_config& config) {
    return GetParam().make(for_version(GetParam().name, config));
  }
  static bool is_due(unsigned number, unsigned one_in) {
    return test::is_due(number + std::string_view(GetParam().name).size(), one_in);
  }
  /// \param usual seeds with a race check; half as many with weak memory.
  static void expect_right_on_any_schedule(const run_config& config, unsigned usual) {
    const auto complaint = [&] { return workload::ending(*make(config)).reason; };
    const unsigned seeds = test::seed_budget(usual);
    EXPECT_EQ(test::first_complaint(test::strong, seeds, complaint), "") << config.problem.input;
    EXPECT_EQ(test::first_complaint(test::weak, (seeds + 1) / 2, complaint), "")
        << config.problem.input;
  }
};
INSTANTIATE_TEST_SUITE_P(, flows, ::testing::ValuesIn(versions()), workload::name_of_primitive);

TEST_P(flows, of_odd_networks_are_right_on_any_schedule) {
  for (unsigned number = 0; const run_config& config : odd_networks())
    if (is_due(number++, 3)) expect_right_on_any_schedule(config, 4);
}

TEST_P(flows, of_random_networks_are_right_on_any_schedule) {
  for (unsigned seed = 0; seed < 25; ++seed)
    if (is_due(seed, 5)) expect_right_on_any_schedule(random_network(seed), 2);
}

TEST_P(flows, of_meshes_are_right_on_any_schedule) {
  expect_right_on_any_schedule(mesh(4, 3), 60);
  run_config padded = mesh(5, 6);
  padded.padded_locks = true;
  expect_right_on_any_schedule(padded, 4);
}

double value_by_boost(const run_config& config) {
  const inputs::flow_network& net = network_of(config.problem)->input();
  return static_cast<double>(graph_reference::maximum_flow(net));
}

TEST_P(flows, have_the_values_that_boost_finds) {
  std::vector<run_config> all = odd_networks();
  for (unsigned seed = 100; seed < 120; seed += test::daily_or_whole(5, 1))
    all.push_back(random_network(seed));
  for (unsigned rows = 3; rows <= 12; rows += 3)
    for (const unsigned columns : {1u, 14 - rows}) all.push_back(mesh(rows, columns));
  for (const run_config& config : all) {
    const auto one = make(config);
    workload::expect_right_once(*one, config.problem.input);
    EXPECT_EQ(one->measure().at("flow_value"), value_by_boost(config)) << config.problem.input;
  }
}

TEST_P(flows, of_hard_networks_are_right) {
  for (unsigned number = 0; const auto& [input, value] : inputs::known_flows()) {
    if (!is_due(number++, 3)) continue;
    const simt::scoped_settings scoped(simt::random_schedule(1, test::weak));
    const auto one = make(small({.input = input}));
    workload::expect_right_once(*one, input);
    EXPECT_EQ(one->measure().at("flow_value"), static_cast<double>(value)) << input;
  }
}

// From the first vertex to the last one, with weights as capacities.
TEST_P(flows, through_each_generated_graph_are_right) {
  for (unsigned seed = 0; const std::string& input : inputs::graph_of_each_generator()) {
    if (!is_due(++seed, 4)) continue;
    const simt::scoped_settings scoped(simt::random_schedule(seed, test::weak));
    workload::expect_right_once(*make(network_of_graph(input)), input);
  }
}

TEST_P(flows, are_right_after_a_reset_with_other_grids) {
  run_config other = mesh(7, 5);
  other.threads_per_block = 64;
  other.steps_per_barrier = 1;
  other.relabel_interval = 1000;
  workload::expect_right(*make(other));
}

TEST_P(flows, run_in_as_many_blocks_as_fit) {
  if (std::string(GetParam().name).starts_with("server_"))
    GTEST_SKIP() << "a message is for a block";
  run_config full = mesh(4, 4);
  full.threads_per_block = 256;
  full.blocks_per_sm = 0;
  const auto one = make(full);
  EXPECT_GT(std::get<long long>(one->effective_parameters().at("blocks")), 0);
  workload::expect_right(*one);
}

TEST_P(flows, need_whole_warps) {
  run_config odd = mesh(3, 3);
  odd.threads_per_block = 48;
  EXPECT_THROW(GetParam().make(odd), bench::infeasible);
}

TEST_P(flows, say_what_ran) {
  const auto one = make(mesh(6, 7));
  workload::expect_right(*one);
  const bench::parameters effective = one->effective_parameters();
  EXPECT_EQ(std::get<long long>(effective.at("nodes")), 6 * 7 + 2);
  EXPECT_EQ(std::get<long long>(effective.at("arcs")), 2 * (3 * 6 * 7 - 6));
  EXPECT_EQ(one->operations(), 2 * (3.0 * 6 * 7 - 6));
}

TEST_P(flows, notice_that_nobody_has_pushed) {
  const auto one = make(mesh(4, 4));
  one->reset();
  EXPECT_EQ(one->verify().what, bench::status::wrong);
}

// Networks by name, and networks that do not fit into the kernels' words.

TEST(networks, of_a_mesh_have_its_rows_and_columns) {
  for (const std::string mesh_of : {"mesh", "washington"}) {
    const auto made = network_of({.input = mesh_of, .rows = 5, .columns = 4});
    EXPECT_EQ(made->input().arcs.vertices(), 5 * 4 + 2);
    EXPECT_EQ(network_of({.input = mesh_of + "/5x4"})->input(), made->input());
  }
}

TEST(networks, are_kept_for_the_next_point) {
  const problem what{.rows = 3, .columns = 2};
  const std::shared_ptr<network> kept = network_of(what);
  EXPECT_EQ(network_of(what), kept);
  EXPECT_NE(network_of({.rows = 3, .columns = 4}), kept);
}

TEST(networks, have_all_capacities_left_after_a_reset) {
  const auto net = network_of(odd_networks().back().problem);
  net->reset();
  EXPECT_EQ(net->residuals(), net->input().arcs.weights);
}

TEST(networks, of_no_file_are_an_input_error) {
  EXPECT_THROW(network_of({.input = "no-such.max"}), inputs::input_error);
}

TEST(networks, into_a_node_of_which_more_may_flow_than_its_word_holds_are_infeasible) {
  std::vector<std::string> arcs;
  for (unsigned u = 2; u < 150; ++u) arcs.push_back(arc(u, 150, 2'147'483'647));
  EXPECT_THROW(network_of(network_of_arcs("too_much", 150, arcs).problem), bench::infeasible);
}

}  // namespace
}  // namespace finesync::maxflow
