// What the alignment does at one point of a sweep.
#pragma once

#include <compare>
#include <string>

namespace finesync::nw {

/// Needleman-Wunsch: the scores of the best global alignments of all beginnings of two sequences
/// (ICS'15 section 6; Rodinia's nw). Every cell waits for three neighbours, north, west and
/// north-west.
struct problem {
  std::string input = "rodinia";  ///< the generator, or two files "A.fa,B.fa"
  unsigned rows = 0;              ///< the first so many letters of A; 0: all
  unsigned columns = 0;           ///< of B; 0: all, or of what a generator makes as many as rows
  std::string scores = "blosum62";
  unsigned gap = 10;
  auto operator<=>(const problem&) const = default;
};

/// How rows of the matrix follow each other.
enum class pitch {
  packed,  ///< columns + 1 words, Rodinia's
  lines,   ///< column 1 of each row begins a line of 128 bytes
};

/// An experiment writes the whole matrix, borders apart, and verifies every cell: up to 8K x 8K
/// against the CPU's, beyond that by the recurrence, and last row, last column and sums of rows
/// against the CPU's.
struct run_config {
  nw::problem problem;
  pitch rows = pitch::packed;
  unsigned tile = 0;            ///< threads along a tile; 0: as many as an SM holds, up to 32
  unsigned cluster_blocks = 0;  ///< of strips; 0: as suits their number
  unsigned strips_per_sm = 0;   ///< 1 or 2; 0: 1
  bool from_table = false;  ///< similarities are in a matrix of the problem's size, as Rodinia's
};

}  // namespace finesync::nw
