// Letters in a row.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace finesync::inputs {

/// Letters are numbers: their places in the alphabet of a scoring.
struct sequence {
  std::string name;
  std::vector<std::uint8_t> letters;
};

/// Two to align, as they stand at a matrix: a row for each letter of `down`, a column for each of
/// `across`.
struct sequence_pair {
  sequence down;
  sequence across;
};

}  // namespace finesync::inputs
