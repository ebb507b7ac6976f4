// Loads ratings by name.
#pragma once

#include <inputs/load_options.hpp>
#include <inputs/ratings/ratings.hpp>

#include <string>

namespace finesync::inputs {

/// The generated ratings of this name (`shape_named`), or the contents of the file of this name: a
/// text (`parse_ratings`) or a cache. For a large text a cache is kept, FILE.finesync-ratings.
/// It is used if it is undamaged and was made from this text (same length and time of change), else
/// made again. If the folder is not writable, or the name is another file's, there is only no
/// cache. The ratings have the name of the generator or of the file without its folder. Throws
/// input_error, which lists the known names, if there is neither a generator nor a file.
ratings load_ratings(const std::string& name_or_path, const load_options& options = {});

}  // namespace finesync::inputs
