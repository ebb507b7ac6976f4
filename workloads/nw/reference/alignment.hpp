// The alignment that a matrix of scores stands for.
#pragma once

#include <inputs/sequences/scoring.hpp>
#include <workloads/nw/reference/reference.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>

namespace finesync::nw {

/// Two sequences one below the other, three texts of one length.
struct alignment {
  std::string down;    ///< its letters, '-' where only the other has one
  std::string middle;  ///< '|' the same letter, ':' another worth more than 0, '.' less; ' ' a gap
  std::string across;
  std::int32_t score;

  std::size_t length() const { return middle.size(); }
  std::size_t identities() const;    ///< of '|'
  std::size_t similarities() const;  ///< of '|' and ':'
  std::size_t gaps() const;          ///< of ' '
};

/// at(i, j) of a matrix as task.cuh defines it.
using score_at = std::function<std::int32_t(std::size_t i, std::size_t j)>;

/// Goes back from the corner to at(0, 0), and reads less than three scores for each letter. Of
/// several alignments with this score it is the one that, seen from the end, has a pair of letters
/// rather than a gap, and rather a letter of `down` alone than one of `across`. Throws
/// std::runtime_error, which names the cell, where a score follows from none of its neighbours:
/// then the matrix is wrong.
alignment trace_back(letters down, letters across, const inputs::scoring& by, std::int32_t gap,
                     const score_at& at);

/// One line: length, identities, similarities, gaps, score.
std::string summary_of(const alignment& aligned);

/// The alignment in blocks of 60 columns, each line with its name and the numbers, from 1, of its
/// first and last letter; where a block has none of them, twice that of the last one before.
std::string printed(const alignment& aligned, const std::string& down_name,
                    const std::string& across_name);

}  // namespace finesync::nw
