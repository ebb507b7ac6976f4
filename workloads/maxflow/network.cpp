#include "network.hpp"

#include <bench/experiment.hpp>

#include <algorithm>
#include <numeric>
#include <string>
#include <utility>

namespace finesync::maxflow {
namespace {

/// \throws bench::infeasible unless the words of network.cuh hold all that may happen.
const inputs::flow_network& checked(const inputs::flow_network& all) {
  if (all.nodes > most_nodes || all.arcs.size() >= std::size_t{1} << 31)
    throw bench::infeasible("2^26 nodes or 2^31 arcs are too many");
  if (all.source == all.sink) throw bench::infeasible("the source is the sink");
  std::vector<std::uint64_t> inflow(all.nodes);
  for (const inputs::flow_arc& arc : all.arcs) {
    inflow[arc.head] += arc.capacity;
    if (arc.tail == all.source) inflow[arc.tail] += arc.capacity;  // that comes back
  }
  if (*std::ranges::max_element(inflow) > most_excess)
    throw bench::infeasible("2^38 or more may flow to a node");
  return all;
}

}  // namespace

network::network(inputs::flow_network all)
    : input_((checked(all), std::move(all))),
      rows_(std::size_t{input_.nodes} + 1),
      capacities_(input_.arcs.size()),
      pairs_(input_.arcs.size()),
      words_(input_.nodes) {
  std::vector<std::uint32_t> rows(rows_.size());
  std::vector<std::uint32_t> capacities;
  capacities.reserve(input_.arcs.size());
  for (const inputs::flow_arc& arc : input_.arcs) {
    capacities.push_back(arc.capacity);
    if (arc.tail == arc.head) continue;
    ++rows[arc.tail + 1];
    ++rows[arc.head + 1];
  }
  std::partial_sum(rows.begin(), rows.end(), rows.begin());
  std::vector<arc_end> ends(rows.back());
  std::vector<std::uint32_t> next(rows.begin(), rows.end() - 1);
  for (std::uint32_t p = 0; p < input_.arcs.size(); ++p) {
    const inputs::flow_arc& arc = input_.arcs[p];
    if (arc.tail == arc.head) continue;
    ends[next[arc.tail]++] = {arc.head, 2 * p};
    ends[next[arc.head]++] = {arc.tail, 2 * p + 1};
  }
  ends_ = buffer<arc_end>(ends.size());
  rows_.copy_from(rows);
  ends_.copy_from(ends);
  capacities_.copy_from(capacities);
}

network_ref network::ref() const {
  return {input_.nodes, input_.source,  input_.sink,   rows_.data(),
          ends_.data(), pairs_.cells(), words_.cells()};
}

std::vector<std::uint32_t> network::flow() const {
  std::vector<std::uint32_t> flow;
  flow.reserve(pairs_.size());
  for (const std::uint64_t pair : pairs_.to_host()) flow.push_back(residual_of(pair, 1));
  return flow;
}

std::vector<std::uint64_t> network::excess() const {
  std::vector<std::uint64_t> words = words_.to_host();
  for (std::uint64_t& word : words) word = excess_of(word);
  return words;
}

}  // namespace finesync::maxflow
