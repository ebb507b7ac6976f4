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

ratings read_file(const fs::path& file) {
  const mapped_file mapped(file);
  return is_cache(ratings_cache, mapped.bytes()) ? parse_cache(mapped.bytes(), file.string()).value
                                                 : parse_ratings(mapped.bytes(), file.string());
}

ratings read_cached(const fs::path& file, const fs::path& folder) {
  // The stamp is taken before the text is read: if the text changes meanwhile, the cache is
  // recognized as out of date.
  return through_cache(
      (folder.empty() ? file.parent_path() : folder) / (file.filename().string() + ".ratings"),
      stamp_of(file), parse_cache, write_cache, [&] { return read_file(file); });
}

}  // namespace

ratings load_ratings(const std::string& name_or_path, const load_options& options) {
  if (names_shape(name_or_path)) return generate(shape_named(name_or_path), options.seed);
  const fs::path file(name_or_path);
  std::error_code problem;
  if (!fs::exists(file, problem)) refuse_unknown(name_or_path);
  const bool is_text = file.extension() != ".ratings";
  const bool is_large = fs::file_size(file, problem) >= options.least_cached_bytes && !problem;
  ratings all = is_text && is_large ? read_cached(file, options.cache_folder) : read_file(file);
  all.name = file.filename().string();
  return all;
}

}  // namespace finesync::inputs
