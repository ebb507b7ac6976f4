#include <inputs/graphs/cache.hpp>
#include <inputs/graphs/formats.hpp>
#include <inputs/graphs/generate.hpp>
#include <inputs/graphs/load.hpp>
#include <inputs/input_error.hpp>
#include <inputs/mapped_file.hpp>

#include <algorithm>
#include <filesystem>

namespace finesync::inputs {
namespace {

namespace fs = std::filesystem;

struct graphs {
  static constexpr auto& cache = graph_cache;
  static constexpr auto parse_cache = parse_graph_cache;
  static constexpr auto parse = parse_graph;
  static constexpr auto is_generated = names_graph;
  static constexpr auto generate = generate_graph;
  static constexpr auto known = known_graphs;
  static constexpr auto example = "rmat/16";
  static std::string& name(graph& of) { return of.name; }
};

struct networks {
  static constexpr auto& cache = network_cache;
  static constexpr auto parse_cache = parse_network_cache;
  static constexpr auto parse = parse_network;
  static constexpr auto is_generated = names_network;
  static constexpr auto generate = generate_network;
  static constexpr auto known = known_networks;
  static constexpr auto example = "mesh/512x512";
  static std::string& name(flow_network& of) { return of.arcs.name; }
};

template <class Kind, class Make>
auto cached_in(const fs::path& folder, const std::string& name, const source_stamp& source,
               Make&& make) {
  const auto write = [](const auto& made, const source_stamp& of, const fs::path& cache) {
    write_cache(made, of, cache);
  };
  return through_cache(cache_of(Kind::cache, folder, name), source, Kind::parse_cache, write, make);
}

template <class Kind>
auto generate(const std::string& name, const load_options& options) {
  const auto make = [&] { return Kind::generate(name, options.seed); };
  if (options.cache_folder.empty()) return make();
  constexpr std::uint64_t version = 1;  // of the generators; increase it if they change
  std::string flat = name;
  std::ranges::replace(flat, '/', '-');
  return cached_in<Kind>(options.cache_folder, flat, {version, options.seed}, make);
}

template <class Kind>
auto read(const fs::path& file, const load_options& options) {
  // The stamp is taken before the file is read: if the file changes meanwhile, the cache is
  // recognized as out of date.
  const source_stamp source = stamp_of(file);
  const mapped_file mapped(file);
  if (is_cache(Kind::cache, mapped.bytes()))
    return Kind::parse_cache(mapped.bytes(), file.string()).value;
  const auto make = [&] { return Kind::parse(mapped.bytes(), file.string()); };
  if (source.bytes < options.least_cached_bytes) return make();
  return cached_in<Kind>(options.cache_folder.empty() ? file.parent_path() : options.cache_folder,
                         file.filename().string(), source, make);
}

template <class Kind>
auto load(const std::string& name_or_path, const load_options& options) {
  const bool is_generated = Kind::is_generated(name_or_path);
  const fs::path file(name_or_path);
  std::error_code problem;
  if (!is_generated && !fs::exists(file, problem))
    throw input_error(name_or_path,
                      fmt::format("there is no such file, and no generator of that name (known: "
                                  "{}, with a size as {})",
                                  fmt::join(Kind::known(), ", "), Kind::example));
  auto loaded = is_generated ? generate<Kind>(name_or_path, options) : read<Kind>(file, options);
  Kind::name(loaded) = is_generated ? name_or_path : file.filename().string();
  return loaded;
}

}  // namespace

graph load_graph(const std::string& name_or_path, const load_options& options) {
  return load<graphs>(name_or_path, options);
}

flow_network load_network(const std::string& name_or_path, const load_options& options) {
  return load<networks>(name_or_path, options);
}

}  // namespace finesync::inputs
