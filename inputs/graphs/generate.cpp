#include <inputs/graphs/build.hpp>
#include <inputs/graphs/generate.hpp>
#include <inputs/graphs/hard/graphs.hpp>
#include <inputs/graphs/hard/networks.hpp>
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

// A graph of these edges, which are a function of the number of vertices, and of the seed.
template <auto edges_of>
graph graph_of_edges(const request& asked) {
  if constexpr (requires { edges_of(asked.size, asked.seed); })
    return undirected_graph(asked.name, asked.size, edges_of(asked.size, asked.seed));
  else
    return undirected_graph(asked.name, asked.size, edges_of(asked.size));
}

struct generator {
  std::string_view name;
  std::uint32_t size;  // default size
  std::uint32_t least;
  std::uint32_t most;
  graph (*make)(const request&);
};

template <auto edges_of>
constexpr generator of_edges(std::string_view name, std::uint32_t vertices = 1u << 22,
                             std::uint32_t most = 64'000'000) {
  return {name, vertices, 2, most, graph_of_edges<edges_of>};
}

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
              [](const request& asked) { return road_graph(asked.name, asked.size, asked.seed); }},
    of_edges<rising_path>("path"),
    of_edges<falling_path>("path-falling"),
    of_edges<random_path>("path-random"),
    of_edges<shuffled_path>("path-shuffled"),
    of_edges<path_of_pairs>("path-pairs"),
    of_edges<path_of_merges>("path-merges"),
    of_edges<path_of_chains>("path-chains"),
    of_edges<caterpillar>("caterpillar"),
    of_edges<comb>("comb"),
    of_edges<star>("star"),
    of_edges<star_of_paths>("star-paths"),
    of_edges<clique>("clique", 3000, 20'000),
    of_edges<row_of_cliques>("cliques"),
    of_edges<hub_over_merges>("hub")};

// A request for a generated network, of one size or two.
struct network_request {
  const std::string& name;
  std::uint32_t one;
  std::uint32_t other;
  std::uint32_t seed;
};

struct network_generator {
  std::string_view name;
  std::string_view size;  // default size; the form that a size has
  std::string_view rule;  // what the text after '/' must be
  bool (*is_allowed)(std::uint64_t one, std::uint64_t other);
  flow_network (*make)(const network_request&);
};

template <auto mesh_of>
constexpr network_generator mesh_generator(std::string_view name) {
  return {name, "2048x2048", "ROWSxCOLUMNS, 3 rows or more and 500000000 vertices at most",
          [](std::uint64_t rows, std::uint64_t columns) {
            return rows >= 3 && columns >= 1 && rows * columns <= 500'000'000;
          },
          [](const network_request& asked) {
            return mesh_of(asked.name, {.rows = asked.one, .columns = asked.other}, asked.seed);
          }};
}

constexpr std::array network_generators{
    mesh_generator<counted_mesh>("mesh"),
    mesh_generator<washington_mesh>("washington"),
    network_generator{
        "genrmf", "64x256", "SIDExFRAMES, a side of 2 to 400 and 60000000 vertices at most",
        [](std::uint64_t side, std::uint64_t frames) {
          return side >= 2 && side <= 400 && frames >= 1 && side * side * frames <= 60'000'000;
        },
        [](const network_request& asked) {
          return frames_network(asked.name, asked.one, asked.other, asked.seed);
        }},
    network_generator{
        "ak", "4096", "a whole number from 1 to 15000000",
        [](std::uint64_t size, std::uint64_t) { return size >= 1 && size <= 15'000'000; },
        [](const network_request& asked) { return ladder_network(asked.name, asked.one); }},
    network_generator{"matching", "524288x4", "VERTICESxDEGREE, 60000000 arcs between them at most",
                      [](std::uint64_t side, std::uint64_t degree) {
                        return side >= 1 && degree >= 1 && side * degree <= 60'000'000;
                      },
                      [](const network_request& asked) {
                        return matching_network(asked.name, asked.one, asked.other, asked.seed);
                      }},
    network_generator{"layered", "16x65536", "WIDTHxLAYERS, 60000000 vertices at most",
                      [](std::uint64_t width, std::uint64_t layers) {
                        return width >= 1 && layers >= 1 && width * layers <= 60'000'000;
                      },
                      [](const network_request& asked) {
                        return layered_network(asked.name, asked.one, asked.other, asked.seed);
                      }},
    network_generator{"power-law", "18", "a whole number from 1 to 24",
                      [](std::uint64_t scale, std::uint64_t) { return scale >= 1 && scale <= 24; },
                      [](const network_request& asked) {
                        return power_law_network(asked.name, asked.one, asked.seed);
                      }}};

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

// One number, or two with an x between them, as in the generator's default size.
network_request request_of(const network_generator& by, const std::string& name,
                           std::uint32_t seed) {
  const std::string_view size = size_of(name).value_or(by.size);
  const auto cross = std::min(size.find('x'), size.size());
  const bool has_two = by.size.find('x') != std::string_view::npos;
  const auto one = number_in(size.substr(0, cross));
  const auto other = has_two ? number_in(size.substr(std::min(cross + 1, size.size())))
                             : std::optional<std::uint32_t>(0);
  if (!one || !other || (!has_two && cross != size.size()) || !by.is_allowed(*one, *other))
    throw input_error(name, fmt::format("the text after '/' must be {}", by.rule));
  return {name, *one, *other, seed};
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
  const network_generator& by = found(network_generators, name);
  return by.make(request_of(by, name, seed));
}

bool names_graph(const std::string& name) {
  return find(generators, name) != nullptr;
}

bool names_network(const std::string& name) {
  return find(network_generators, name) != nullptr;
}

bool names_mesh(const std::string& name) {
  const std::string_view base = base_of(name);
  return base == "mesh" || base == "washington";
}

std::vector<std::string> known_graphs() {
  return names_of(generators);
}
std::vector<std::string> known_networks() {
  return names_of(network_generators);
}

}  // namespace finesync::inputs
