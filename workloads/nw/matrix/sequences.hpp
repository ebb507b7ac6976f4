// The two sequences of a problem, on the host and in device memory, and the CPU's scores.
#pragma once

#include <finesync/host/buffer.cuh>
#include <inputs/sequences/scoring.hpp>
#include <workloads/nw/matrix/score_matrix.hpp>
#include <workloads/nw/matrix/task.cuh>
#include <workloads/nw/run_config.hpp>

#include <cstdint>
#include <memory>
#include <vector>

namespace finesync::nw {

class sequences {
 public:
  /// \throws bench::infeasible for 0 or more than 2^20 letters, and for a gap outside 1 to 100.
  sequences(std::vector<std::uint8_t> down, std::vector<std::uint8_t> across,
            const inputs::scoring& scores, unsigned gap);

  unsigned rows() const { return static_cast<unsigned>(down_.size()); }
  unsigned columns() const { return static_cast<unsigned>(across_.size()); }
  std::int32_t gap() const { return gap_; }

  /// The argument of a kernel, with that matrix.
  task with(const score_matrix_ref& scores) const;

  /// Whether scores() is kept: up to 8K x 8K letters.
  bool has_scores() const;
  /// The CPU's results, computed once: all rows with their borders, and their summary.
  const std::vector<std::int32_t>& scores() const;
  const matrix_summary& summary() const;

 private:
  std::vector<std::uint8_t> down_;
  std::vector<std::uint8_t> across_;
  const inputs::scoring& scoring_;
  std::int32_t gap_;
  buffer<std::uint8_t> letters_;  ///< down and across, each with its margins
  buffer<std::int8_t> similarities_;
  mutable std::vector<std::int32_t> scores_;
  mutable matrix_summary summary_;
};

/// The sequences of a problem. The last ones are kept, as most points of a sweep share them.
/// \throws as sequences() does, and inputs::input_error.
std::shared_ptr<const sequences> sequences_of(const problem& what);

}  // namespace finesync::nw
