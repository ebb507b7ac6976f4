#include "network.hpp"

#include <bench/experiment.hpp>
#include <inputs/graphs/generate.hpp>
#include <inputs/graphs/load.hpp>
#include <workloads/common/inputs/last_input.hpp>
#include <workloads/maxflow/network/rows.cuh>

#include <algorithm>
#include <functional>
#include <string>
#include <utility>

namespace finesync::maxflow {
namespace {

/// Kernels number arcs in 32 bits, and the numbers must not wrap when a grid's threads are added.
constexpr std::uint32_t max_arcs = 0x7fffffffu;

/// \throws bench::infeasible if a value could overflow the words of network.cuh.
const inputs::flow_network& checked(const inputs::flow_network& all) {
  if (all.arcs.vertices() > max_nodes) throw bench::infeasible("2^26 nodes are too many");
  if (all.arcs.arcs() > max_arcs) throw bench::infeasible("2^31 arcs are too many");
  std::vector<std::uint64_t> inflow(all.arcs.vertices());
  for (std::uint32_t a = 0; a < all.arcs.arcs(); ++a)
    inflow[all.arcs.targets[a]] +=
        std::uint64_t{all.arcs.weights[a]} + all.arcs.weights[all.mates[a]];
  if (*std::ranges::max_element(inflow) > max_excess)
    throw bench::infeasible("2^38 or more may flow to a node");
  return all;
}

inputs::flow_network input_of(const problem& what) {
  if (what.input.find('/') != std::string::npos || !inputs::names_mesh(what.input))
    return inputs::load_network(what.input);
  return inputs::load_network(what.input + "/" + std::to_string(what.rows) + "x" +
                              std::to_string(what.columns));
}

/// Sorts the arcs of each node into the order of pushes: descending capacity, then descending
/// reverse capacity. If arcs of a mesh were sorted by neighbour, all nodes would first push to the
/// row above, or return their excess. Such flows take more than twice the steps.
void put_wide_arcs_first(const inputs::flow_network& all, std::vector<arc_end>& ends) {
  const inputs::graph& arcs = all.arcs;
  std::vector<std::pair<std::uint64_t, arc_end>> own;
  for (std::uint32_t u = 0; u < arcs.vertices(); ++u) {
    own.clear();
    for (std::uint32_t a = arcs.first[u]; a < arcs.first[u + 1]; ++a)
      own.emplace_back(std::uint64_t{arcs.weights[a]} << 32 | arcs.weights[all.mates[a]], ends[a]);
    std::ranges::stable_sort(own, std::greater{}, &decltype(own)::value_type::first);
    for (std::uint32_t i = 0; i < own.size(); ++i) ends[arcs.first[u] + i] = own[i].second;
  }
}

}  // namespace

network::network(inputs::flow_network all)
    : input_((checked(all), std::move(all))),
      rows_(input_.arcs.first.size()),
      ends_(input_.arcs.arcs()),
      capacities_(input_.arcs.arcs() / 2),
      pairs_(input_.arcs.arcs() / 2),
      words_(input_.arcs.vertices()) {
  const inputs::graph& arcs = input_.arcs;
  std::vector<arc_end> ends(arcs.arcs());
  std::vector<std::uint64_t> capacities;
  capacities.reserve(arcs.arcs() / 2);
  for (std::uint32_t a = 0; a < arcs.arcs(); ++a) {
    const std::uint32_t mate = input_.mates[a];
    if (a > mate) continue;
    const auto slot = static_cast<std::uint32_t>(2 * capacities.size());
    ends[a] = {arcs.targets[a], slot};
    ends[mate] = {arcs.targets[mate], slot + 1};
    capacities.push_back(std::uint64_t{arcs.weights[mate]} << 32 | arcs.weights[a]);
  }
  put_wide_arcs_first(input_, ends);
  for (std::uint32_t u = 0; u < arcs.vertices(); ++u)
    has_long_rows_ = has_long_rows_ || (u != input_.source && u != input_.sink &&
                                        is_long({arcs.first[u], arcs.first[u + 1]}));
  rows_.keep_copy_of(arcs.first);
  ends_.keep_copy_of(ends);
  capacities_.keep_copy_of(capacities);
}

network_ref network::ref() const {
  return {input_.arcs.vertices(), input_.source,       input_.sink,          has_long_rows_,
          rows_.raw_pointer(),    ends_.raw_pointer(), pairs_.device_data(), words_.device_data()};
}

std::vector<std::uint32_t> network::residuals() const {
  const std::vector<std::uint64_t> pairs = pairs_.to_host();
  std::vector<std::uint32_t> residuals(input_.arcs.arcs());
  std::size_t next = 0;
  for (std::uint32_t a = 0; a < input_.arcs.arcs(); ++a) {
    if (a > input_.mates[a]) continue;
    residuals[a] = residual_of(pairs[next], 0);
    residuals[input_.mates[a]] = residual_of(pairs[next], 1);
    ++next;
  }
  return residuals;
}

std::shared_ptr<network> network_of(const problem& what) {
  return workload::last_input(what, [&] { return std::make_shared<network>(input_of(what)); });
}

}  // namespace finesync::maxflow
