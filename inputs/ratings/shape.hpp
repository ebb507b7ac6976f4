// The shape of a generated matrix, taken from the data set it is named after.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace finesync::inputs {

/// The degrees of one side: whole numbers from `least` to `largest`, one of them exactly `largest`,
/// from a log-normal distribution that is cut off at both ends. `centre` is its median before the
/// cut; its width follows from the sum of the degrees.
struct side_shape {
  std::uint32_t count;
  std::uint32_t least;
  std::uint32_t centre;
  std::uint32_t largest;
};

/// A rating matrix to generate.
struct ratings_shape {
  std::string name;
  side_shape lefts;
  side_shape rights;
  std::uint32_t entries;
  bool repeats;  ///< whether a pair may occur more than once, as in the original
};

/// The shapes known by name. Counts, entries and largest degrees are those that KONECT publishes.
/// KONECT has no least degrees and centres: these are approximate (docs/suite/inputs.md).
const std::vector<ratings_shape>& known_shapes();
/// Their names.
std::vector<std::string> shape_names();

/// A known shape, `netflix-like`, or a smaller one, `netflix-like/1000`: entries divided by the
/// number, both counts and all degrees by its square root, so that the same fraction of all pairs
/// has a rating. Throws input_error for an unknown name, or a divisor that leaves less than one
/// entry to a left or right.
ratings_shape shape_named(const std::string& name);

/// Whether the name is that of a known shape, also with an invalid divisor.
bool names_shape(const std::string& name);

/// One degree for each of the side, largest first, `entries` in all. Throws input_error, which
/// names `name`, if no such degrees exist.
std::vector<std::uint32_t> degrees_of(const side_shape& side, std::uint32_t entries,
                                      const std::string& name);

}  // namespace finesync::inputs
