// Networks by name, and networks that do not fit into the kernels' words.
#include "small.hpp"

#include <bench/experiment.hpp>
#include <inputs/input_error.hpp>
#include <workloads/maxflow/network/network.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace finesync::maxflow {
namespace {

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
