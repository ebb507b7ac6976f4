// The common part of this program's experiments: sequences, matrix, verification and watchdog.
#pragma once

#include "run_config.hpp"

#include <bench/experiment.hpp>
#include <finesync/device/watchdog.cuh>
#include <finesync/host/launch.cuh>
#include <finesync/host/watchdog.cuh>
#include <workloads/common/effective_parameters.hpp>
#include <workloads/common/outcomes.hpp>
#include <workloads/nw/matrix/score_matrix.hpp>
#include <workloads/nw/matrix/sequences.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace finesync::nw {

/// A version defines its launches and writes all cells of a task except the borders.
class alignment_experiment : public bench::experiment {
 public:
  explicit alignment_experiment(const run_config& config)
      : sequences_(sequences_of(config.problem)),
        matrix_(sequences_->rows(), sequences_->columns(), config.rows) {}

  void reset() final {
    matrix_.clear(sequences_->gap());
    watchdog_.reset();
    begin();
  }
  void launch() final { start(what()); }
  bench::outcome verify() final {
    stream().synchronize();
    if (const auto given_up = watchdog_.report()) return workload::timed_out(*given_up);
    const bench::outcome compared =
        sequences_->has_scores() ? compare_cells() : compare_summaries();
    if (!compared.ok()) return compared;
    const std::uint64_t wrong = matrix_.wrong_words(what());
    return workload::wrong_unless(
        wrong == 0, std::to_string(wrong) +
                        " words are not what their neighbours make them, or lie around the matrix");
  }
  /// The scores after a correct run: at(i, 0) to at(i, columns) of every row.
  std::vector<std::int32_t> scores() const { return matrix_.to_host(); }
  bench::parameters effective_parameters() const override {
    bench::parameters effective = workload::parameters_of(shape());
    workload::add_parameter(effective, "launches", launches());
    workload::add_parameter(effective, "rows", sequences_->rows());
    workload::add_parameter(effective, "columns", sequences_->columns());
    workload::add_parameter(effective, "pitch_words", static_cast<unsigned>(matrix_.pitch_words()));
    return effective;
  }
  /// Number of cells.
  double operations() const final {
    return static_cast<double>(sequences_->rows()) * sequences_->columns();
  }

 protected:
  /// Restores the version's own state to the one that start() expects; not timed.
  virtual void begin() {}
  /// Queues the kernels and nothing else.
  virtual void start(const task& what) = 0;
  /// Launch shape of the largest launch.
  virtual launch_shape shape() const = 0;
  virtual unsigned launches() const { return 1; }

  /// The same in every run.
  task what() const { return sequences_->with(matrix_.ref()); }
  watchdog_ref timeout() const { return watchdog_.ref(); }

 private:
  bench::outcome compare_cells() {
    const std::vector<std::int32_t>& right = sequences_->scores();
    const auto place = matrix_.first_other_than(right, words_);
    if (!place) return {};
    const std::size_t pitch = std::size_t{sequences_->columns()} + 1;
    return {bench::status::wrong, "row " + std::to_string(*place / pitch) + ", column " +
                                      std::to_string(*place % pitch) + " is " +
                                      std::to_string(matrix_.to_host()[*place]) + ", not " +
                                      std::to_string(right[*place])};
  }
  bench::outcome compare_summaries() const {
    return workload::wrong_unless(matrix_.summary() == sequences_->summary(),
                                  "last row, last column or sums of rows are not those of the CPU");
  }

  std::shared_ptr<const sequences> sequences_;
  score_matrix matrix_;
  std::vector<std::int32_t> words_;  // the matrix on the host
  watchdog watchdog_;
};

}  // namespace finesync::nw
