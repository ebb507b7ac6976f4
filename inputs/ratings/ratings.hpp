// Ratings: a sparse matrix between two kinds of things, the input of a matrix factorisation.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace finesync::inputs {

/// One entry: left (a user, a story), right (a film, a word) and value.
struct rating {
  std::uint32_t left;
  std::uint32_t right;
  float value;  ///< finite; in stars if the source has stars

  bool operator==(const rating&) const = default;
};

/// A matrix of `lefts` rows and `rights` columns, as coordinates: every entry has left < lefts and
/// right < rights. The entries are in the order of their source, with its repeated pairs.
struct ratings {
  std::string name;
  std::uint32_t lefts = 0;
  std::uint32_t rights = 0;
  std::vector<rating> entries;
};

/// The number of entries of each left, or of each right.
struct degrees {
  std::vector<std::uint32_t> of_lefts;
  std::vector<std::uint32_t> of_rights;
};

/// Takes 4 bytes for each left and right.
degrees degrees_of(const ratings& all);

}  // namespace finesync::inputs
