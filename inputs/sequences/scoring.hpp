// Scores of aligned letters, and the gap penalty.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace finesync::inputs {

/// A substitution matrix over the letters of an alphabet, with a linear gap penalty: the same for
/// each letter of a gap. Letters are numbers: their indices in `alphabet`.
struct scoring {
  static constexpr unsigned max_letters = 24;

  std::string_view name;      ///< "blosum62"
  std::string_view alphabet;  ///< "ARNDCQEGHILKMFPSTWYVBZX*"
  std::array<std::array<std::int8_t, max_letters>, max_letters> similarity;

  unsigned letters() const { return static_cast<unsigned>(alphabet.size()); }
};

}  // namespace finesync::inputs
