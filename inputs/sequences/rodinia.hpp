// The sequences that Rodinia's nw makes for itself.
#pragma once

#include <inputs/sequences/sequence.hpp>

#include <array>
#include <cstddef>
#include <cstdint>

namespace finesync::inputs {

/// The numbers of glibc's rand() after srand(seed), whatever the C library: an additive feedback
/// generator, x[i] = x[i-3] + x[i-31], of which the upper 31 bits come out.
class glibc_random {
 public:
  explicit glibc_random(std::uint32_t seed);
  /// 0 to 2^31 - 1.
  std::uint32_t operator()();

 private:
  static constexpr std::size_t words = 31;
  static constexpr std::size_t lag = 3;
  std::array<std::uint32_t, words> last_;
  std::size_t oldest_ = lag;
};

/// Random letters 1 to 10, after srand(7): first all of `down`, then all of `across`. Rodinia has
/// as many rows as columns, and takes the letters by blosum62.
sequence_pair rodinia_pair(std::size_t rows, std::size_t columns);

}  // namespace finesync::inputs
