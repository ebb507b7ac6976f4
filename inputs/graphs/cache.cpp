#include <inputs/graphs/cache.hpp>

#include <span>
#include <type_traits>
#include <utility>

namespace finesync::inputs {
namespace {

// The first part; the places, targets and weights of the arcs follow.
struct sizes {
  std::uint32_t vertices;
  std::uint32_t arcs;
  std::uint32_t is_simple;
  std::uint32_t first_number;
};
static_assert(sizeof(sizes) == 16 && std::has_unique_object_representations_v<sizes>);

template <class Item>
std::span<const std::byte> part(const std::vector<Item>& of) {
  return std::as_bytes(std::span(of));
}

sizes sizes_of(const graph& of) {
  return {of.vertices(), of.arcs(), of.is_simple, of.first_number};
}

graph take_graph(cache_reader& from, const std::string& file) {
  const sizes counted = from.take<sizes>(1).front();
  graph read{file,
             from.take<std::uint32_t>(std::uint64_t{counted.vertices} + 1),
             from.take<std::uint32_t>(counted.arcs),
             from.take<std::uint32_t>(counted.arcs),
             counted.is_simple != 0,
             counted.first_number};
  if (fault_of(read)) from.fail("is damaged");
  return read;
}

}  // namespace

const cache_kind graph_cache{"\211fsgraph", 2, "a graph", ".finesync-graph"};
const cache_kind network_cache{"\211fsnetwk", 1, "a flow network", ".finesync-network"};

void write_cache(const graph& of, const source_stamp& source, const std::filesystem::path& cache) {
  const std::vector<sizes> counted{sizes_of(of)};
  write_cache_file(graph_cache, source,
                   {part(counted), part(of.first), part(of.targets), part(of.weights)}, cache);
}

void write_cache(const flow_network& of, const source_stamp& source,
                 const std::filesystem::path& cache) {
  const std::vector<sizes> counted{sizes_of(of.arcs)};
  const std::vector<std::uint32_t> terminals{of.source, of.sink};
  write_cache_file(network_cache, source,
                   {part(counted), part(of.arcs.first), part(of.arcs.targets),
                    part(of.arcs.weights), part(terminals), part(of.mates)},
                   cache);
}

cached<graph> parse_graph_cache(std::string_view bytes, const std::string& file) {
  cache_reader from(graph_cache, bytes, file);
  graph read = take_graph(from, file);
  from.end();
  return {std::move(read), from.source()};
}

cached<flow_network> parse_network_cache(std::string_view bytes, const std::string& file) {
  cache_reader from(network_cache, bytes, file);
  graph arcs = take_graph(from, file);
  const auto terminals = from.take<std::uint32_t>(2);
  auto mates = from.take<std::uint32_t>(arcs.arcs());
  from.end();
  return {{std::move(arcs), std::move(mates), terminals[0], terminals[1]}, from.source()};
}

}  // namespace finesync::inputs
