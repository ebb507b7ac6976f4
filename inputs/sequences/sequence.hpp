// Sequences of letters.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace finesync::inputs {

/// Letters are numbers: their indices in the alphabet of a scoring.
struct sequence {
  std::string name;
  std::vector<std::uint8_t> letters;
};

/// Two sequences to align: the matrix has a row for each letter of `down`, a column for each of
/// `across`.
struct sequence_pair {
  sequence down;
  sequence across;
};

}  // namespace finesync::inputs
