#include "ranked_graph.hpp"

#include <bench/experiment.hpp>
#include <inputs/graphs/bipartite.hpp>
#include <inputs/graphs/load.hpp>
#include <inputs/parts.hpp>
#include <inputs/ratings/load.hpp>
#include <inputs/ratings/shape.hpp>
#include <workloads/common/inputs/last_input.hpp>

#include <algorithm>
#include <array>
#include <chrono>
#include <numeric>
#include <utility>

namespace finesync::pagerank {
namespace {

/// The number of arcs in the row of each vertex.
std::vector<std::uint32_t> row_lengths(const inputs::graph& of) {
  std::vector<std::uint32_t> lengths(of.vertices());
  for (std::uint32_t v = 0; v < of.vertices(); ++v) lengths[v] = of.first[v + 1] - of.first[v];
  return lengths;
}

/// The vertices, those with the most arcs to them first.
std::vector<std::uint32_t> by_arcs_to(const inputs::graph& all) {
  std::vector<std::uint32_t> arcs_to(all.vertices());
  for (const std::uint32_t target : all.targets) ++arcs_to[target];
  std::vector<std::uint32_t> order(all.vertices());
  std::iota(order.begin(), order.end(), 0u);
  std::ranges::stable_sort(order, std::greater{}, [&](std::uint32_t v) { return arcs_to[v]; });
  return order;
}

inputs::graph load(const std::string& input) {
  if (inputs::names_shape(input)) return inputs::bipartite_graph(inputs::load_ratings(input));
  return inputs::load_graph(input);
}

}  // namespace

ranked_graph::ranked_graph(const inputs::graph& all, numbering order) {
  if (order == numbering::given) {
    sources_ = inputs::transposed(all);
    arcs_ = row_lengths(all);
  } else {
    const auto began = std::chrono::steady_clock::now();
    const inputs::graph numbered = inputs::renumbered(all, by_arcs_to(all));
    seconds_of_numbering_ =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
    sources_ = inputs::transposed(numbered);
    arcs_ = row_lengths(numbered);
  }
  make_resident();
}

void ranked_graph::make_resident() {
  const std::vector<rank_row> rows = classified();
  rows_ = buffer<rank_row>(rows.size());
  rows_.keep_copy_of(rows);

  std::vector<std::uint32_t> in_order(arcs());
  inputs::parts(rows.size()).for_each([&](std::size_t, std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i)
      std::copy_n(sources_.targets.begin() + sources_.first[rows[i].vertex], rows[i].arcs,
                  in_order.begin() + rows[i].first);
  });
  resident_sources_ = buffer<std::uint32_t>(in_order.size());
  resident_sources_.keep_copy_of(in_order);
  ref_.vertices = vertices();
  ref_.rows = rows_.raw_pointer();
  ref_.sources = resident_sources_.raw_pointer();
}

std::vector<rank_row> ranked_graph::classified() {
  constexpr std::uint32_t most = 1u << 31;
  const std::vector<std::uint32_t> lengths = row_lengths(sources_);
  std::array<std::uint32_t, row_class_count + 1> places{};
  for (const std::uint32_t arcs : lengths) {
    if (arcs > most || vertices() > most)
      throw bench::infeasible("more than 2^31 vertices, or arcs to one of them");
    ++places[static_cast<unsigned>(class_of(arcs)) + 1];
  }
  std::partial_sum(places.begin(), places.end(), places.begin());
  std::copy(places.begin() + 1, places.end(), ref_.ends);

  std::vector<rank_row> rows(vertices());
  for (std::uint32_t v = 0; v < vertices(); ++v)
    rows[places[static_cast<unsigned>(class_of(lengths[v]))]++] = {
        .vertex = v,
        .first = 0,
        .arcs = lengths[v],
        .inverse = 1.0f / static_cast<float>(std::max(arcs_[v], 1u))};
  std::uint32_t first = 0;
  for (rank_row& row : rows) row.first = std::exchange(first, first + row.arcs);
  return rows;
}

std::optional<std::string> ranked_graph::fault_of(const graph_reference::claimed_ranks& claimed,
                                                  unsigned threads_per_block) const {
  return graph_reference::fault_of_ranks(sources_, arcs_, claimed, [=](std::uint32_t arcs) {
    return chain_of_additions(arcs, threads_per_block);
  });
}

std::shared_ptr<const ranked_graph> ranked_graph_of(const std::string& input, numbering order) {
  return workload::last_input(std::pair(input, order), [&] {
    return std::make_shared<const ranked_graph>(load(input), order);
  });
}

}  // namespace finesync::pagerank
