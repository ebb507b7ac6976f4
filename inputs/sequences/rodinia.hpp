// The sequences that Rodinia's nw generates.
#pragma once

#include <inputs/sequences/sequence.hpp>

#include <cstddef>

namespace finesync::inputs {

/// Random letters 1 to 10, after srand(7): first all of `down`, then all of `across`. Rodinia has
/// as many rows as columns, and scores the letters by blosum62.
sequence_pair rodinia_pair(std::size_t rows, std::size_t columns);

}  // namespace finesync::inputs
