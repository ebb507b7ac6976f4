// The alignment that a matrix of scores represents.
#pragma once

#include <inputs/sequences/scoring.hpp>
#include <workloads/nw/reference/reference.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>

namespace finesync::nw {

/// Two sequences one below the other, as three strings of the same length.
struct alignment {
  std::string down;    ///< its letters, '-' for a gap
  std::string middle;  ///< '|' same letter, ':' other pair with similarity > 0, '.' similarity <=
                       ///< 0, ' ' gap
  std::string across;
  std::int32_t score;

  std::size_t length() const { return middle.size(); }
  std::size_t identities() const;    ///< number of '|'
  std::size_t similarities() const;  ///< number of '|' and ':'
  std::size_t gaps() const;          ///< number of ' '
};

/// at(i, j) of a matrix as task.cuh defines it.
using score_at = std::function<std::int32_t(std::size_t i, std::size_t j)>;

/// Traces back from the corner to at(0, 0), and reads fewer than three scores per letter. Among
/// alignments of equal score, seen from the end, it prefers a pair of letters to a gap. It prefers
/// a letter of `down` with a gap to a letter of `across`. If a score follows from none of its
/// neighbours, the matrix is wrong: it throws a std::runtime_error that names the cell.
alignment trace_back(letters down, letters across, const inputs::scoring& by, std::int32_t gap,
                     const score_at& at);

/// One line: length, identities, similarities, gaps, score.
std::string summary_of(const alignment& aligned);

/// The alignment in blocks of 60 columns, each line with its name and the numbers, from 1, of its
/// first and last letter. A line without letters has the number of the last earlier letter twice.
std::string printed(const alignment& aligned, const std::string& down_name,
                    const std::string& across_name);

}  // namespace finesync::nw
