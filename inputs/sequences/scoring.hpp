// What two letters that stand below each other are worth, and what a gap costs.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace finesync::inputs {

/// A substitution matrix over the letters of an alphabet, with a gap that costs the same for each
/// letter that it skips (linear). Letters are numbers: their places in `alphabet`.
struct scoring {
  static constexpr unsigned most_letters = 24;

  std::string_view name;      ///< "blosum62"
  std::string_view alphabet;  ///< "ARNDCQEGHILKMFPSTWYVBZX*"
  std::array<std::array<std::int8_t, most_letters>, most_letters> similarity;

  unsigned letters() const { return static_cast<unsigned>(alphabet.size()); }
};

}  // namespace finesync::inputs
