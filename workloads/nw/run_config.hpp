// Parameters of the alignment at one point of a sweep.
#pragma once

#include <compare>
#include <string>

namespace finesync::nw {

/// Needleman-Wunsch: the scores of the best global alignments of all prefixes of two sequences
/// (ICS'15 section 6; Rodinia's nw). Every cell waits for its north, west and north-west
/// neighbours.
struct problem {
  std::string input = "rodinia";  ///< the generator, or two files "A.fa,B.fa"
  unsigned rows = 0;              ///< length of the prefix of A; 0: all
  unsigned columns = 0;  ///< length of the prefix of B; 0: all, or as many as rows for a generator
  std::string scores = "blosum62";
  unsigned gap = 10;
  auto operator<=>(const problem&) const = default;
};

/// The distance between rows of the matrix.
enum class pitch {
  packed,  ///< columns + 1 words, as in Rodinia
  lines,   ///< column 1 of each row begins a line of 128 bytes
};

/// The experiment writes the whole matrix except the borders, and verifies every cell. Up to 8K x
/// 8K it compares all cells with the CPU's. Larger ones are checked by the recurrence, and their
/// last row, last column and row sums are compared with the CPU's.
struct run_config {
  nw::problem problem;
  pitch rows = pitch::packed;
  unsigned tile = 0;            ///< threads along a tile; 0: as many as an SM holds, up to 32
  unsigned cluster_blocks = 0;  ///< blocks per cluster of strips; 0: chosen by the number of strips
  unsigned strips_per_sm = 0;   ///< 1 or 2; 0: 1
  bool from_table = false;  ///< read similarities from a matrix of the problem's size, as Rodinia
};

}  // namespace finesync::nw
