// Binary graph formats, little-endian, in the layout of the memory.
#include <inputs/graphs/formats.hpp>
#include <inputs/graphs/unweighted.hpp>
#include <inputs/input_error.hpp>

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>
#include <vector>

namespace finesync::inputs {
namespace {

static_assert(std::endian::native == std::endian::little, "the readers copy numbers as they lie");

template <class Number>
std::vector<Number> taken(std::string_view& bytes, std::size_t count) {
  std::vector<Number> numbers(count);
  if (count != 0) std::memcpy(numbers.data(), bytes.data(), count * sizeof(Number));
  bytes.remove_prefix(count * sizeof(Number));
  return numbers;
}

// Appends places as 32 bits; fault_of() rejects a place that does not fit as out of order.
void append_places(std::vector<std::uint32_t>& to, const std::vector<std::uint64_t>& places) {
  for (const std::uint64_t each : places)
    to.push_back(static_cast<std::uint32_t>(std::min(each, max_arcs)));
}

// Completes a graph from its rows.
graph finished(graph read, bool has_weights) {
  if (!has_weights) read.weights.resize(read.targets.size());
  if (const auto fault = fault_of(read)) throw input_error(read.name, *fault);
  if (!has_weights) set_usual_weights(read);
  sort_rows(read);
  return read;
}

struct galois_head {
  std::uint64_t version, bytes_per_edge, vertices, arcs;
};

struct egr_layout {
  std::uint64_t vertices;
  std::uint64_t arcs;
  bool is_wide;  // 64 bits
  bool has_weights;
};

// The layout of a file of this width, if its sizes agree with its length.
template <class Number>
std::optional<egr_layout> egr_layout_of(std::string_view bytes) {
  if (bytes.size() < 2 * sizeof(Number)) return std::nullopt;
  std::string_view rest = bytes;
  const std::vector<Number> sizes = taken<Number>(rest, 2);
  egr_layout layout{sizes[0], sizes[1], sizeof(Number) == 8, false};
  if (layout.vertices > max_vertices || layout.arcs > max_arcs) return std::nullopt;
  const std::uint64_t bare = (layout.vertices + 1) * sizeof(Number) + layout.arcs * 4;
  layout.has_weights = rest.size() == bare + layout.arcs * 4 && layout.arcs != 0;
  if (rest.size() != bare && !layout.has_weights) return std::nullopt;
  return layout;
}

std::optional<egr_layout> egr_layout_of(std::string_view bytes) {
  const auto wide = egr_layout_of<std::uint64_t>(bytes);
  return wide ? wide : egr_layout_of<std::uint32_t>(bytes);
}

}  // namespace

graph parse_galois(std::string_view bytes, const std::string& file) {
  const auto refuse = [&](const std::string& why) { throw input_error(file, why); };
  std::string_view rest = bytes;
  if (bytes.size() < sizeof(galois_head)) refuse("a Galois graph begins with 32 bytes of sizes");
  const auto words = taken<std::uint64_t>(rest, 4);
  const galois_head head{words[0], words[1], words[2], words[3]};
  if (head.version != 1)
    refuse(fmt::format("it is no Galois graph of version 1 but of {}", head.version));
  if (head.bytes_per_edge != 0 && head.bytes_per_edge != 4)
    refuse(
        fmt::format("it has {} bytes of data per edge, and can have 0 or 4", head.bytes_per_edge));
  if (head.vertices > max_vertices || head.arcs > max_arcs)
    refuse(
        fmt::format("{} vertices and {} arcs are too many for 32 bits", head.vertices, head.arcs));
  const std::uint64_t padding = head.arcs % 2 * 4;
  const bool has_weights = head.bytes_per_edge == 4 && head.arcs != 0;
  // The original writer omits the padding if no data follows it.
  const std::uint64_t bare = 8 * head.vertices + 4 * head.arcs;
  const bool ends_bare = !has_weights && rest.size() == bare;
  const std::uint64_t whole = bare + padding + (has_weights ? 4 * head.arcs : 0);
  if (rest.size() != whole && !ends_bare)
    refuse(fmt::format("{} vertices and {} arcs take {} bytes, and it has {}", head.vertices,
                       head.arcs, sizeof head + whole, bytes.size()));
  graph read{file, {0}, {}, {}, false};
  read.first.reserve(head.vertices + 1);
  append_places(read.first, taken<std::uint64_t>(rest, head.vertices));
  read.targets = taken<std::uint32_t>(rest, head.arcs);
  if (has_weights) {
    rest.remove_prefix(padding);
    read.weights = taken<std::uint32_t>(rest, head.arcs);
  }
  return finished(std::move(read), has_weights);
}

bool is_egr(std::string_view bytes) {
  const auto layout = egr_layout_of(bytes);
  if (!layout) return false;
  std::string_view places = bytes.substr(layout->is_wide ? 16 : 8);
  return (layout->is_wide ? taken<std::uint64_t>(places, 1).front()
                          : taken<std::uint32_t>(places, 1).front()) == 0;
}

graph parse_egr(std::string_view bytes, const std::string& file) {
  const auto layout = egr_layout_of(bytes);
  if (!layout)
    throw input_error(file, fmt::format("its {} bytes are those of no ECL graph of the sizes that "
                                        "it begins with",
                                        bytes.size()));
  std::string_view rest = bytes.substr(layout->is_wide ? 16 : 8);
  graph read{file, {}, {}, {}, false};
  const std::size_t places = layout->vertices + 1;
  if (layout->is_wide)
    append_places(read.first, taken<std::uint64_t>(rest, places));
  else
    read.first = taken<std::uint32_t>(rest, places);
  read.targets = taken<std::uint32_t>(rest, layout->arcs);
  if (layout->has_weights) read.weights = taken<std::uint32_t>(rest, layout->arcs);
  return finished(std::move(read), layout->has_weights);
}

}  // namespace finesync::inputs
