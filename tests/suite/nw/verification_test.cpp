// The checks of a matrix.
#include "small.hpp"

#include <bench/experiment.hpp>
#include <bench/kernel_timer.hpp>
#include <inputs/input_error.hpp>
#include <workloads/nw/alignment_experiment.cuh>
#include <workloads/nw/alignments_makers.hpp>
#include <workloads/nw/matrix/score_matrix.hpp>
#include <workloads/nw/matrix/sequences.hpp>
#include <workloads/nw/sequence_axes.hpp>

#include <tests/primitives.hpp>

#include <cstddef>
#include <initializer_list>

namespace finesync::nw {
namespace {

class matrices : public ::testing::TestWithParam<pitch> {
 protected:
  /// Filled with the CPU's scores.
  matrices() : matrix_(sequences_->rows(), sequences_->columns(), GetParam()) {
    matrix_.clear(sequences_->gap());
    for (unsigned i = 1; i <= sequences_->rows(); ++i)
      for (unsigned j = 1; j <= sequences_->columns(); ++j) word(i, j) = right(i, j);
  }
  /// A word of the matrix, or around it.
  std::int32_t& word(long i, long j) {
    const score_matrix_ref scores = matrix_.ref();
    return *(scores.origin->address() + i * static_cast<long>(scores.pitch) + j);
  }
  std::int32_t right(unsigned i, unsigned j) const {
    return sequences_->scores()[std::size_t{i} * (sequences_->columns() + 1) + j];
  }
  /// As (rows, columns); empty if all are right.
  std::optional<std::pair<std::size_t, std::size_t>> first_other() {
    const auto place = matrix_.first_other_than(sequences_->scores(), words_);
    if (!place) return std::nullopt;
    return std::pair{*place / (sequences_->columns() + 1), *place % (sequences_->columns() + 1)};
  }
  std::uint64_t wrong() const { return matrix_.wrong_words(sequences_->with(matrix_.ref())); }

  std::shared_ptr<const sequences> sequences_ = sequences_of({.input = random_file(20, 13)});
  score_matrix matrix_;
  std::vector<std::int32_t> words_;
};
INSTANTIATE_TEST_SUITE_P(, matrices, ::testing::Values(pitch::packed, pitch::lines),
                         [](const auto& tested) {
                           return tested.param == pitch::packed ? "packed" : "lines";
                         });

TEST_P(matrices, of_the_cpu_are_right) {
  EXPECT_EQ(wrong(), 0u);
  EXPECT_EQ(matrix_.to_host(), sequences_->scores());
}

TEST_P(matrices, with_a_wrong_cell_anywhere_are_wrong) {
  for (const auto& [i, j] : {std::pair{1, 1}, {20, 13}, {7, 1}, {1, 9}, {11, 5}, {0, 4}, {6, 0}}) {
    word(i, j) += 1;
    EXPECT_GT(wrong(), 0u) << i << ", " << j;
    EXPECT_EQ(first_other(), (std::pair<std::size_t, std::size_t>(i, j)));
    word(i, j) -= 1;
  }
  EXPECT_EQ(wrong(), 0u);
  EXPECT_EQ(first_other(), std::nullopt);
}

TEST_P(matrices, are_wrong_with_anything_around_them) {
  word(0, -1) = 0;
  EXPECT_EQ(wrong(), 1u);
  word(20, 14) = 0;
  EXPECT_EQ(wrong(), 2u);
}

TEST(lines, have_words_behind_each_row_that_stay_as_they_were) {
  const auto both = sequences_of({.input = random_file(20, 13)});
  score_matrix matrix(20, 13, pitch::lines);
  matrix.clear(both->gap());
  const score_matrix_ref scores = matrix.ref();
  EXPECT_EQ(scores.pitch % 32, 0u);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(&scores.at(3, 1)) % 128, 0u);
  const std::uint64_t none_written = matrix.wrong_words(both->with(scores));
  *(&scores.at(3, 13))[1].address() = 5;
  EXPECT_EQ(matrix.wrong_words(both->with(scores)), none_written + 1);
}

TEST_P(matrices, are_summed_up_as_the_cpu_does) {
  EXPECT_TRUE(matrix_.summary() == sequences_->summary());
  for (const auto& [i, j] : {std::pair{20, 1}, {1, 13}, {20, 13}, {7, 5}}) {
    word(i, j) += 1;
    EXPECT_FALSE(matrix_.summary() == sequences_->summary()) << i << ", " << j;
    word(i, j) -= 1;
  }
}

/// Writes the CPU's scores, and perhaps a word beside the matrix.
class by_hand final : public alignment_experiment {
 public:
  explicit by_hand(bool writes_beside)
      : alignment_experiment(small(5, 6, 8)), writes_beside_(writes_beside) {}

 private:
  void start(const task& what) override {
    const auto right = sequences_of(small(5, 6, 8).problem);
    for (unsigned i = 0; i < right->rows(); ++i)
      for (unsigned j = 0; j < right->columns(); ++j)
        *what.scores.origin[(i + 1) * what.scores.pitch + j + 1].address() =
            right->scores()[(i + 1) * (std::size_t{right->columns()} + 1) + j + 1];
    if (writes_beside_) *(what.scores.origin - 1)->address() = 0;
  }
  launch_shape shape() const override { return {}; }

  bool writes_beside_;
};

TEST(verification, rejects_what_writes_beside_the_matrix) {
  by_hand right(false);
  EXPECT_EQ(workload::ending(right).reason, "");
  by_hand wrong(true);
  EXPECT_EQ(workload::ending(wrong).reason.substr(0, 12), "1 words are ");
}

TEST(verification, rejects_what_never_ran) {
  const auto experiment = make_tile_dataflow(small(5, 6, 8));
  ASSERT_TRUE(workload::ending(*experiment).ok());  // whose result must go
  experiment->reset();
  const bench::outcome ended = experiment->verify();
  EXPECT_EQ(ended.what, bench::status::wrong);
  EXPECT_EQ(ended.reason.substr(0, 19), "row 1, column 1 is ");
}

TEST(verification, rejects_what_an_earlier_run_left_behind) {
  const auto experiment = make_tiny_lock_shared(small(5, 6, 8));
  ASSERT_TRUE(workload::ending(*experiment).ok());
  experiment->reset();
  EXPECT_FALSE(experiment->verify().ok());
}

// The sequences of a command line and of a problem.

workload::input_axis asked(std::initializer_list<const char*> words) {
  std::vector<std::string> texts(words.begin(), words.end());
  std::vector<char*> pointers;
  for (std::string& text : texts) pointers.push_back(text.data());
  return make_input_axis(static_cast<int>(pointers.size()), pointers.data());
}

TEST(input_axis, knows_the_generator_without_being_asked) {
  const workload::input_axis none = asked({"nw", "--rows", "3"});
  EXPECT_EQ(none.values, std::vector<std::string>{"rodinia"});
  EXPECT_EQ(none.words, (std::vector<std::string>{"nw", "--rows", "3"}));
}

TEST(input_axis, pairs_files) {
  const workload::input_axis some = asked({"nw", "--input", "x/A-b.fa,y/C.fa,rodinia,/two.fasta"});
  ASSERT_EQ(some.values.size(), 3u);
  EXPECT_EQ(some.values[0], "rodinia");
  EXPECT_EQ(some.values[1].substr(0, 6), "a-b-c-");
  EXPECT_EQ(some.values[2].substr(0, 4), "two-");
  EXPECT_EQ(some.sources[0], (bench::parameters{{"generator", "rodinia"}, {"seed", 7LL}}));
  EXPECT_EQ(some.sources[1], (bench::parameters{{"file", "x/A-b.fa"}, {"second_file", "y/C.fa"}}));
  EXPECT_EQ(some.sources[2], (bench::parameters{{"file", "/two.fasta"}}));
  EXPECT_EQ(some.inputs, (std::vector<std::string>{"rodinia", "x/A-b.fa,y/C.fa", "/two.fasta"}));
  EXPECT_EQ(some.words.back(), some.values[1] + ",rodinia," + some.values[2]);
  EXPECT_EQ(some.command_line.back(), "x/A-b.fa,y/C.fa,rodinia,/two.fasta");
  EXPECT_EQ(asked({"nw", "--input=1.fa"}).words.back().substr(0, 16), "--input=input-1-");
  const auto twins = asked({"nw", "--input=x/a.fa", "--input=y/a.fa"}).values;
  EXPECT_NE(twins.at(1), twins.at(2));
  EXPECT_EQ(asked({"nw", "--input=a.fa", "--input=a.fa"}).values.size(), 2u);
  EXPECT_EQ(asked({"nw", "--input=a,,b"}).words.back(), "--input=a,,b");
}

TEST(sequences_of, has_the_lengths_of_files_or_what_is_asked_of_them) {
  problem what{.input = random_file(9, 12)};
  EXPECT_EQ(sequences_of(what)->rows(), 9u);
  EXPECT_EQ(sequences_of(what)->columns(), 12u);
  what.rows = 4;
  what.columns = 5;
  EXPECT_EQ(sequences_of(what)->rows(), 4u);
  EXPECT_EQ(sequences_of(what)->columns(), 5u);
  what.columns = 13;
  EXPECT_THROW(sequences_of(what), bench::infeasible);
}

TEST(sequences_of, generates_as_many_columns_as_rows) {
  EXPECT_EQ(sequences_of({.rows = 10})->columns(), 10u);
  EXPECT_EQ(sequences_of({.rows = 10, .columns = 3})->columns(), 3u);
  EXPECT_EQ(sequences_of({})->rows(), bench::runs_on_gpu() ? 2048u : 128u);
}

TEST(sequences_of, has_rodinias_scores) {
  const auto rodinia = sequences_of({.rows = 2048});
  EXPECT_EQ(rodinia->scores().back(), 21);
  std::int64_t sum = 0;
  for (const std::int64_t each : rodinia->summary().row_sums) sum += each;
  EXPECT_EQ(sum - rodinia->summary().row_sums.front(), -21'914'952'824);
}

TEST(sequences_of, refuses_what_makes_no_sense) {
  EXPECT_THROW(sequences_of({.gap = 0}), bench::infeasible);
  EXPECT_THROW(sequences_of({.gap = 101}), bench::infeasible);
  EXPECT_THROW(sequences_of({.rows = (1u << 20) + 1}), bench::infeasible);
  EXPECT_THROW(sequences_of({.input = "no-such.fa"}), inputs::input_error);
}

TEST(sequences_of, has_all_scores_of_up_to_8k_x_8k) {
  EXPECT_TRUE(sequences_of({.rows = 8192})->has_scores());
  EXPECT_FALSE(sequences_of({.rows = 8192, .columns = 8193})->has_scores());
}

TEST(sequences_of, keeps_the_last) {
  const problem what{.rows = 11};
  EXPECT_EQ(sequences_of(what), sequences_of(what));
}

}  // namespace
}  // namespace finesync::nw
