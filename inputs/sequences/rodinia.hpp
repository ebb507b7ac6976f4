// The sequences that Rodinia's nw generates.
#pragma once

#include <inputs/sequences/sequence.hpp>

#include <cstddef>
#include <cstdint>

namespace finesync::inputs {

inline constexpr std::uint32_t rodinia_seed = 7;

/// Random letters 1 to 10, after srand(rodinia_seed): first all of `down`, then all of `across`.
/// Rodinia has as many rows as columns, and scores the letters by blosum62.
sequence_pair rodinia_pair(std::size_t rows, std::size_t columns);

}  // namespace finesync::inputs
