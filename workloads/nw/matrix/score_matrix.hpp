// The matrix of an alignment with its owner, what is in it before a run, and what must be after it.
#pragma once

#include <finesync/host/buffer.cuh>
#include <workloads/nw/matrix/task.cuh>
#include <workloads/nw/reference/reference.hpp>
#include <workloads/nw/run_config.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace finesync::nw {

/// In every cell that is yet to be written, and in all words around the matrix: no score is it, as
/// all bytes of it are alike and it is near the least of integers.
inline constexpr std::int32_t unwritten = static_cast<std::int32_t>(0x80808080u);

class score_matrix {
 public:
  /// \throws bench::infeasible for more words than 2^33.
  score_matrix(unsigned rows, unsigned columns, pitch row_pitch);

  /// Every cell `unwritten`, but the borders.
  void clear(std::int32_t gap);

  score_matrix_ref ref() const;
  std::size_t pitch_words() const { return pitch_; }

  /// at(i, 0) to at(i, columns) of every row, row after row.
  std::vector<std::int32_t> to_host() const;
  /// The place of the first of those that is not as in `right`. \param words memory of the host
  /// that is kept for this from call to call.
  std::optional<std::size_t> first_other_than(std::span<const std::int32_t> right,
                                              std::vector<std::int32_t>& words) const;
  matrix_summary summary() const;

  /// Cells that are not what the recurrence makes of their neighbours, border cells that are not
  /// what clear() made them, and words outside the matrix that are not `unwritten`: the number of
  /// all those; with 0, and only then, the matrix is right and alone. \param what with these
  /// scores.
  std::uint64_t wrong_words(const task& what) const;

 private:
  unsigned rows_;
  unsigned columns_;
  std::size_t pitch_;
  std::size_t before_;  ///< words in front of at(0, 0)
  buffer<std::int32_t> words_;
};

}  // namespace finesync::nw
