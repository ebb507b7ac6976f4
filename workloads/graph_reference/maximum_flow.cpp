#include <workloads/graph_reference/maximum_flow.hpp>

#include <boost/graph/graph_traits.hpp>
#include <boost/graph/properties.hpp>
#include <boost/graph/push_relabel_max_flow.hpp>
#include <boost/property_map/function_property_map.hpp>
#include <boost/property_map/property_map.hpp>

#include <limits>
#include <ranges>
#include <utility>
#include <vector>

namespace finesync::graph_reference {
namespace {

// The network as a Boost graph: vertices and edges are their numbers.
struct view {
  const inputs::flow_network& of;
};

struct category : boost::incidence_graph_tag, boost::vertex_list_graph_tag {};

using numbers = std::ranges::iterator_t<std::ranges::iota_view<std::uint32_t, std::uint32_t>>;

std::pair<numbers, numbers> vertices(const view& g) {
  return {numbers(0), numbers(g.of.arcs.vertices())};
}
std::uint32_t num_vertices(const view& g) {
  return g.of.arcs.vertices();
}
std::pair<numbers, numbers> out_edges(std::uint32_t vertex, const view& g) {
  return {numbers(g.of.arcs.first[vertex]), numbers(g.of.arcs.first[vertex + 1])};
}
std::uint32_t num_edges(const view& g) {
  return g.of.arcs.arcs();
}
std::uint32_t target(std::uint32_t arc, const view& g) {
  return g.of.arcs.targets[arc];
}
std::uint32_t source(std::uint32_t arc, const view& g) {
  return g.of.arcs.targets[g.of.mates[arc]];
}

}  // namespace
}  // namespace finesync::graph_reference

template <>
struct boost::graph_traits<finesync::graph_reference::view> {
  using vertex_descriptor = std::uint32_t;
  using edge_descriptor = std::uint32_t;
  using directed_category = boost::directed_tag;
  using edge_parallel_category = boost::disallow_parallel_edge_tag;
  using traversal_category = finesync::graph_reference::category;
  using vertex_iterator = finesync::graph_reference::numbers;
  using out_edge_iterator = finesync::graph_reference::numbers;
  using vertices_size_type = std::uint32_t;
  using edges_size_type = std::uint32_t;
  using degree_size_type = std::uint32_t;
  static vertex_descriptor null_vertex() { return std::numeric_limits<std::uint32_t>::max(); }
};

namespace finesync::graph_reference {

std::int64_t maximum_flow(const inputs::flow_network& through) {
  // 64 bits, because Boost uses this type also for the excess of a vertex.
  std::vector<std::int64_t> left(through.arcs.arcs());
  const auto capacity = boost::make_function_property_map<std::uint32_t>(
      [&](std::uint32_t arc) { return std::int64_t{through.arcs.weights[arc]}; });
  const auto mate = boost::make_function_property_map<std::uint32_t>(
      [&](std::uint32_t arc) { return through.mates[arc]; });
  const auto same = boost::typed_identity_property_map<std::uint32_t>();
  view seen{through};
  return boost::push_relabel_max_flow(seen, through.source, through.sink, capacity,
                                      boost::make_iterator_property_map(left.begin(), same), mate,
                                      same);
}

}  // namespace finesync::graph_reference
