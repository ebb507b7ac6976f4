#include "sequences.hpp"

#include <bench/experiment.hpp>
#include <bench/kernel_timer.hpp>
#include <inputs/sequences/load.hpp>
#include <inputs/sequences/rodinia.hpp>
#include <inputs/sequences/scorings.hpp>
#include <workloads/common/inputs/last_input.hpp>

#include <algorithm>
#include <string>
#include <utility>

namespace finesync::nw {
namespace {

constexpr unsigned most_of_a_side = 1u << 20;
/// Largest matrix, in cells, whose scores are kept.
constexpr std::size_t max_kept = std::size_t{8192} * 8192;

void shorten(std::vector<std::uint8_t>& letters, unsigned to, const char* which) {
  if (to == 0) return;
  if (to > letters.size())
    throw bench::infeasible(std::string("the sequence ") + which + " has " +
                            std::to_string(letters.size()) + " letters");
  letters.resize(to);
}

inputs::sequence_pair pair_of(const problem& what) {
  if (what.input == "rodinia") {
    const unsigned rows = what.rows != 0 ? what.rows : bench::runs_on_gpu() ? 2048 : 128;
    return inputs::rodinia_pair(rows, what.columns == 0 ? rows : what.columns);
  }
  inputs::sequence_pair pair = inputs::load_pair(what.input, inputs::scoring_named(what.scores));
  shorten(pair.down.letters, what.rows, "down");
  shorten(pair.across.letters, what.columns, "across");
  return pair;
}

std::size_t checked(std::size_t length) {
  if (length == 0 || length > most_of_a_side)
    throw bench::infeasible("a sequence has 1 to 2^20 letters");
  return length;
}

std::int32_t checked_gap(unsigned gap) {
  if (gap == 0 || gap > 100) throw bench::infeasible("a gap costs 1 to 100");
  return static_cast<std::int32_t>(gap);
}

}  // namespace

sequences::sequences(std::vector<std::uint8_t> down, std::vector<std::uint8_t> across,
                     const inputs::scoring& scores, unsigned gap)
    : down_(std::move(down)),
      across_(std::move(across)),
      scoring_(scores),
      gap_(checked_gap(gap)),
      letters_(checked(down_.size()) + checked(across_.size()) + 4 * std::size_t{task::margin}),
      similarities_(std::size_t{task::letters} * task::letters) {
  std::vector<std::uint8_t> both(letters_.size());
  std::ranges::copy(down_, both.begin() + task::margin);
  std::ranges::copy(across_, both.end() - task::margin - std::ssize(across_));
  letters_.keep_copy_of(both);
  std::vector<std::int8_t> similarities;
  for (const auto& of_letter : scores.similarity)
    similarities.insert(similarities.end(), of_letter.begin(), of_letter.end());
  similarities_.keep_copy_of(similarities);
}

task sequences::with(const score_matrix_ref& scores) const {
  const std::uint8_t* const down = letters_.raw_pointer() + task::margin;
  return {down, down + rows() + 2 * task::margin, similarities_.raw_pointer(), gap_, scores};
}

bool sequences::has_scores() const {
  return std::size_t{rows()} * columns() <= max_kept;
}

const std::vector<std::int32_t>& sequences::scores() const {
  if (scores_.empty()) {
    scores_.reserve((std::size_t{rows()} + 1) * (columns() + 1));
    scores_of(down_, across_, scoring_, gap_, [&](std::size_t, std::span<const std::int32_t> row) {
      scores_.insert(scores_.end(), row.begin(), row.end());
    });
  }
  return scores_;
}

const matrix_summary& sequences::summary() const {
  if (summary_.last_row.empty()) summary_ = scores_of(down_, across_, scoring_, gap_);
  return summary_;
}

std::shared_ptr<const sequences> sequences_of(const problem& what) {
  return workload::last_input(what, [&] {
    inputs::sequence_pair pair = pair_of(what);
    return std::make_shared<const sequences>(std::move(pair.down.letters),
                                             std::move(pair.across.letters),
                                             inputs::scoring_named(what.scores), what.gap);
  });
}

}  // namespace finesync::nw
