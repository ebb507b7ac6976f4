// The owner of an alignment's matrix: initialization before a run and checks after it.
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

/// Value of every cell before it is written, and of all words around the matrix. All its bytes are
/// equal, and it is near the smallest integer, so it is never a score.
inline constexpr std::int32_t unwritten = static_cast<std::int32_t>(0x80808080u);

class score_matrix {
 public:
  /// \throws bench::infeasible for more than 2^33 words.
  score_matrix(unsigned rows, unsigned columns, pitch row_pitch);

  /// Sets every cell except the borders to `unwritten`.
  void clear(std::int32_t gap);

  score_matrix_ref ref() const;
  std::size_t pitch_words() const { return pitch_; }

  /// at(i, 0) to at(i, columns) of every row, row after row.
  std::vector<std::int32_t> to_host() const;
  /// The first place that differs from `right`. \param words host memory, reused between calls.
  std::optional<std::size_t> first_other_than(std::span<const std::int32_t> right,
                                              std::vector<std::int32_t>& words) const;
  matrix_summary summary() const;

  /// Number of wrong words: cells that differ from the recurrence, border cells that differ from
  /// clear(), and words outside the matrix that are not `unwritten`. It is 0 exactly if the matrix
  /// is correct and nothing else was written. \param what task with these scores.
  std::uint64_t wrong_words(const task& what) const;

 private:
  unsigned rows_;
  unsigned columns_;
  std::size_t pitch_;
  std::size_t before_;  ///< words before at(0, 0)
  buffer<std::int32_t> words_;
};

}  // namespace finesync::nw
