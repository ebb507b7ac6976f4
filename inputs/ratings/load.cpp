#include <inputs/input_error.hpp>
#include <inputs/mapped_file.hpp>
#include <inputs/ratings/cache.hpp>
#include <inputs/ratings/generate.hpp>
#include <inputs/ratings/load.hpp>
#include <inputs/ratings/text_formats.hpp>

namespace finesync::inputs {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void refuse_unknown(const std::string& name) {
  const std::vector<std::string> known = shape_names();
  throw input_error(name, fmt::format("there is no such file, and no generator of that name "
                                      "(known: {}, and parts of them as {}/1000)",
                                      fmt::join(known, ", "), known.front()));
}

ratings read(const fs::path& file, const load_options& options) {
  // The stamp is taken before the text is read: if the text changes meanwhile, the cache is
  // recognized as out of date.
  const source_stamp source = stamp_of(file);
  const mapped_file mapped(file);
  if (is_cache(ratings_cache, mapped.bytes()))
    return parse_cache(mapped.bytes(), file.string()).value;
  const auto make = [&] { return parse_ratings(mapped.bytes(), file.string()); };
  if (source.bytes < options.least_cached_bytes) return make();
  const fs::path folder = options.cache_folder.empty() ? file.parent_path() : options.cache_folder;
  return through_cache(cache_of(ratings_cache, folder, file.filename().string()), source,
                       parse_cache, write_cache, make);
}

}  // namespace

ratings load_ratings(const std::string& name_or_path, const load_options& options) {
  if (names_shape(name_or_path)) return generate(shape_named(name_or_path), options.seed);
  const fs::path file(name_or_path);
  std::error_code problem;
  if (!fs::exists(file, problem)) refuse_unknown(name_or_path);
  ratings all = read(file, options);
  all.name = file.filename().string();
  return all;
}

}  // namespace finesync::inputs
