// Ratings by what a user calls them.
#pragma once

#include <inputs/load_options.hpp>
#include <inputs/ratings/ratings.hpp>

#include <string>

namespace finesync::inputs {

/// What is generated under this name (`shape_named`), or what is in the file of this name: a text
/// (`parse_ratings`) or a cache. Of a large text a cache is kept, FILE.ratings; where there is
/// one already, made of this very text (by its length and time of change) and not damaged, it is
/// read instead, otherwise made anew. A folder that cannot be written to only costs the cache.
/// The ratings are named as generated or as the file, without its folder. Throws input_error,
/// which lists the known names where there is neither a generator nor a file.
ratings load_ratings(const std::string& name_or_path, const load_options& options = {});

}  // namespace finesync::inputs
