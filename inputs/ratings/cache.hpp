// Ratings as they lie in memory, in a file: read an order of magnitude faster than a text.
#pragma once

#include <inputs/ratings/ratings.hpp>

#include <cstdint>
#include <filesystem>
#include <string_view>

namespace finesync::inputs {

/// Tells the text that a cache was made from.
struct source_stamp {
  std::uint64_t bytes = 0;
  std::int64_t modified = 0;  ///< nanoseconds since the epoch of the file system's clock

  bool operator==(const source_stamp&) const = default;
};

/// That of a file. Throws input_error where there is none.
source_stamp stamp_of(const std::filesystem::path& source);

/// Puts the ratings and the stamp into `cache`, which is complete or not there at all: it is
/// written under another name first. Throws input_error where that cannot be done.
void write_cache(const ratings& all, const source_stamp& source,
                 const std::filesystem::path& cache);

struct cached_ratings {
  ratings all;
  source_stamp source;
};

/// The contents of a cache; `file` is what errors call it. Another version, another byte order, a
/// wrong length and any changed bit are input_errors.
cached_ratings parse_cache(std::string_view bytes, const std::string& file);

/// Whether a file that begins so is a cache, of whatever version.
bool is_cache(std::string_view bytes);

}  // namespace finesync::inputs
