// The sequences of a command line and of a problem.
#include "small.hpp"

#include <bench/experiment.hpp>
#include <inputs/input_error.hpp>
#include <workloads/nw/matrix/sequences.hpp>
#include <workloads/nw/sequence_axes.hpp>

#include <gtest/gtest.h>

#include <initializer_list>
#include <string>
#include <vector>

namespace finesync::nw {
namespace {

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
  EXPECT_EQ(sequences_of({})->rows(), 2048u);
}

TEST(sequences_of, has_rodinias_scores) {
  const auto rodinia = sequences_of({});
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
