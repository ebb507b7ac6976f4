#include <inputs/graphs/build.hpp>
#include <inputs/graphs/generate.hpp>
#include <inputs/graphs/lattices.hpp>
#include <inputs/graphs/mesh.hpp>
#include <inputs/graphs/random_edges.cuh>
#include <inputs/graphs/weights.cuh>
#include <inputs/input_error.hpp>
#include <inputs/parts.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <string_view>
#include <vector>

namespace finesync::inputs {
namespace {

// A request for a generated graph.
struct request {
  const std::string& name;
  std::uint32_t size;
  std::uint32_t seed;
};

// 2^scale vertices, edges by `edge_of(scale, seed, number)`, weights 1 to `most`.
template <class EdgeOf>
graph random_graph(const request& asked, std::uint32_t edges_per_vertex, std::uint32_t most,
                   EdgeOf&& edge_of) {
  const std::uint32_t vertices = 1u << asked.size;
  std::vector<edge> edges(vertices * edges_per_vertex);
  parts(edges.size()).for_each([&](std::size_t, std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      const edge_ends ends = edge_of(asked.size, asked.seed, static_cast<std::uint32_t>(i));
      edges[i] = {ends.from, ends.to, 0};
    }
  });
  graph made = undirected_graph(asked.name, vertices, edges);
  set_weights(made, [&](std::uint32_t one, std::uint32_t other) {
    return uniform_weight(edge_bits(asked.seed, one, other), most);
  });
  return made;
}

graph rmat(const request& asked, rmat_law law, std::uint32_t most) {
  return random_graph(asked, 8, most, [=](auto scale, auto seed, auto i) {
    return rmat_edge(law, scale, seed, i);
  });
}

struct generator {
  std::string_view name;
  std::uint32_t size;  // default size
  std::uint32_t least;
  std::uint32_t most;
  graph (*make)(const request&);
};

constexpr std::uint32_t usual_weight = 100;

constexpr std::array generators{
    generator{"rmat", 22, 1, 27,
              [](const request& asked) { return rmat(asked, ssca2_law(), 1u << asked.size); }},
    generator{"rmat-graph500", 22, 1, 27,
              [](const request& asked) { return rmat(asked, graph500_law(), usual_weight); }},
    generator{
        "r4", 23, 1, 28,
        [](const request& asked) { return random_graph(asked, 2, usual_weight, uniform_edge); }},
    generator{
        "r4-cycle", 23, 1, 28,
        [](const request& asked) { return random_graph(asked, 4, usual_weight, cycle_edge); }},
    generator{"grid", 4'900, 1, 30'000,
              [](const request& asked) { return grid_graph(asked.name, asked.size, asked.seed); }},
    generator{"road", 24'000'000, 1, 1'000'000'000,
              [](const request& asked) { return road_graph(asked.name, asked.size, asked.seed); }}};

struct network_generator {
  std::string_view name;
  flow_network (*make)(const std::string& name, const mesh_shape&, std::uint32_t seed);
};

constexpr std::array network_generators{network_generator{"mesh", counted_mesh},
                                        network_generator{"washington", washington_mesh}};

std::string_view base_of(std::string_view name) {
  return name.substr(0, name.find('/'));
}

// The text after the slash; nothing if there is none.
std::optional<std::string_view> size_of(std::string_view name) {
  const auto slash = name.find('/');
  if (slash == std::string_view::npos) return std::nullopt;
  return name.substr(slash + 1);
}

template <class Generators>
auto find(const Generators& all, std::string_view name) {
  using each = typename Generators::value_type;
  const auto found = std::ranges::find(all, base_of(name), &each::name);
  return found == all.end() ? nullptr : &*found;
}

template <class Generators>
const auto& found(const Generators& all, const std::string& name) {
  if (const auto* const one = find(all, name)) return *one;
  throw input_error(name, "there is no such generator");
}

template <class Generators>
std::vector<std::string> names_of(const Generators& all) {
  std::vector<std::string> names;
  for (const auto& each : all) names.emplace_back(each.name);
  return names;
}

// A whole number, written only in digits.
std::optional<std::uint32_t> number_in(std::string_view text) {
  std::uint32_t number = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (problem != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

mesh_shape shape_in(const std::string& name) {
  const std::string_view size = size_of(name).value_or("2048x2048");
  const auto cross = std::min(size.find('x'), size.size());
  const auto rows = number_in(size.substr(0, cross));
  const auto columns = number_in(size.substr(std::min(cross + 1, size.size())));
  constexpr std::uint64_t most = 500'000'000;
  if (!rows || !columns || *rows < 3 || *columns == 0 || std::uint64_t{*rows} * *columns > most)
    throw input_error(name, fmt::format("the text after '/' must be ROWSxCOLUMNS, 3 rows or "
                                        "more and {} vertices at most",
                                        most));
  return {.rows = *rows, .columns = *columns};
}

}  // namespace

graph generate_graph(const std::string& name, std::uint32_t seed) {
  const generator& by = found(generators, name);
  const auto written = size_of(name);
  const std::uint32_t size = written ? number_in(*written).value_or(0) : by.size;
  if (size < by.least || size > by.most)
    throw input_error(name, fmt::format("the text after '/' must be a whole number from {} to {}",
                                        by.least, by.most));
  return by.make({name, size, seed});
}

flow_network generate_network(const std::string& name, std::uint32_t seed) {
  const auto make = found(network_generators, name).make;
  return make(name, shape_in(name), seed);
}

bool names_graph(const std::string& name) {
  return find(generators, name) != nullptr;
}

bool names_network(const std::string& name) {
  return find(network_generators, name) != nullptr;
}

std::vector<std::string> known_graphs() {
  return names_of(generators);
}
std::vector<std::string> known_networks() {
  return names_of(network_generators);
}

}  // namespace finesync::inputs
