// The reference compared with the definition, cell by cell, and with results from elsewhere.
#include <inputs/sequences/load.hpp>
#include <inputs/sequences/rodinia.hpp>
#include <inputs/sequences/scorings.hpp>
#include <workloads/nw/reference/reference.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>

namespace finesync::nw {
namespace {

using matrix = std::vector<std::vector<std::int32_t>>;

matrix by_definition(letters down, letters across, const inputs::scoring& by, std::int32_t gap) {
  matrix at(down.size() + 1, std::vector<std::int32_t>(across.size() + 1));
  for (std::size_t i = 0; i <= down.size(); ++i)
    for (std::size_t j = 0; j <= across.size(); ++j) {
      if (i == 0 || j == 0) {
        at[i][j] = -gap * static_cast<std::int32_t>(i + j);
        continue;
      }
      at[i][j] = std::max({at[i - 1][j - 1] + by.similarity[down[i - 1]][across[j - 1]],
                           at[i - 1][j] - gap, at[i][j - 1] - gap});
    }
  return at;
}

std::int64_t sum_of_inner(const matrix_summary& of) {
  return std::accumulate(of.row_sums.begin() + 1, of.row_sums.end(), std::int64_t{0});
}

TEST(reference, is_the_definition_of_any_shape) {
  std::mt19937 random(7);
  const auto sequence = [&](std::size_t length) {
    std::vector<std::uint8_t> made(length);
    std::ranges::generate(
        made, [&] { return static_cast<std::uint8_t>(random() % inputs::blosum62.letters()); });
    return made;
  };
  for (const auto& [rows, columns] :
       {std::pair{1, 1}, {0, 0}, {0, 5}, {5, 0}, {1, 70}, {70, 1}, {64, 64}, {33, 97}, {130, 31}})
    for (const std::int32_t gap : {1, 2, 10, 1000}) {
      const auto down = sequence(static_cast<std::size_t>(rows));
      const auto across = sequence(static_cast<std::size_t>(columns));
      const matrix expected = by_definition(down, across, inputs::blosum62, gap);
      matrix visited;
      const matrix_summary made =
          scores_of(down, across, inputs::blosum62, gap, [&](std::size_t i, auto row) {
            EXPECT_EQ(i, visited.size());
            visited.emplace_back(row.begin(), row.end());
          });
      ASSERT_EQ(visited, expected) << rows << " x " << columns << ", gap " << gap;
      EXPECT_EQ(made.last_row, expected.back());
      ASSERT_EQ(made.last_column.size(), expected.size());
      ASSERT_EQ(made.row_sums.size(), expected.size());
      for (std::size_t i = 0; i < expected.size(); ++i) {
        EXPECT_EQ(made.last_column[i], expected[i].back());
        EXPECT_EQ(made.row_sums[i], std::accumulate(expected[i].begin() + 1, expected[i].end(), 0));
      }
      const matrix_summary unvisited = scores_of(down, across, inputs::blosum62, gap);
      EXPECT_EQ(unvisited.last_row, made.last_row);
      EXPECT_EQ(unvisited.last_column, made.last_column);
      EXPECT_EQ(unvisited.row_sums, made.row_sums);
    }
}

struct known {
  std::size_t size;
  std::int32_t corner;
  std::int64_t sum_of_inner;
};

class rodinia : public testing::TestWithParam<known> {};

// Computed from Rodinia's description with glibc's rand(), by another program.
TEST_P(rodinia, has_the_scores_that_its_input_has) {
  const auto& [size, corner, sum] = GetParam();
  const inputs::sequence_pair pair = inputs::rodinia_pair(size, size);
  const matrix_summary made =
      scores_of(pair.down.letters, pair.across.letters, inputs::blosum62, 10);
  EXPECT_EQ(made.last_row.back(), corner);
  EXPECT_EQ(made.last_column.back(), corner);
  EXPECT_EQ(sum_of_inner(made), sum);
}

INSTANTIATE_TEST_SUITE_P(sizes, rodinia,
                         testing::Values(known{2048, 21, -21'914'952'824},
                                         known{4096, 341, -175'398'037'469},
                                         known{8192, 210, -1'404'542'423'459}),
                         [](const auto& of) { return std::to_string(of.param.size); });

TEST(reference, has_the_known_scores_of_two_mitochondria) {
  const inputs::sequence_pair pair = inputs::load_pair(
      SEQUENCES_FOLDER "/MT-human.fa," SEQUENCES_FOLDER "/MT-orang.fa", inputs::nuc44);
  inputs::scoring same_or_not{"same-or-not", inputs::nuc44.alphabet, {}};
  for (auto& row : same_or_not.similarity) row.fill(-1);
  for (unsigned i = 0; i < same_or_not.letters(); ++i) same_or_not.similarity[i][i] = 1;
  const letters down = pair.down.letters;
  const letters across = pair.across.letters;
  EXPECT_EQ(scores_of(down, across, same_or_not, 1).last_row.back(), 10'616);
  EXPECT_EQ(scores_of(down.first(4096), across.first(4096), same_or_not, 1).last_row.back(), 1'724);
}

}  // namespace
}  // namespace finesync::nw
