// The reference compared with the definition, cell by cell, and with results from elsewhere.
#include <inputs/sequences/load.hpp>
#include <inputs/sequences/rodinia.hpp>
#include <inputs/sequences/scorings.hpp>
#include <workloads/nw/reference/alignment.hpp>
#include <workloads/nw/reference/reference.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>
#include <stdexcept>

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

// Alignments from matrices: they consist of the sequences, have their score, and print correctly.

using numbers = std::vector<std::uint8_t>;

struct whole_matrix {
  std::vector<std::int32_t> scores;
  std::size_t pitch;

  whole_matrix(letters down, letters across, const inputs::scoring& by, std::int32_t gap)
      : pitch(across.size() + 1) {
    scores_of(down, across, by, gap,
              [&](std::size_t, auto row) { scores.insert(scores.end(), row.begin(), row.end()); });
  }

  alignment traced(letters down, letters across, const inputs::scoring& by,
                   std::int32_t gap) const {
    return trace_back(down, across, by, gap,
                      [&](std::size_t i, std::size_t j) { return scores.at(i * pitch + j); });
  }
};

alignment aligned(letters down, letters across, const inputs::scoring& by, std::int32_t gap) {
  return whole_matrix(down, across, by, gap).traced(down, across, by, gap);
}

numbers numbers_of(const std::string& text, const inputs::scoring& by) {
  numbers made;
  for (const char c : text)
    if (c != '-') made.push_back(static_cast<std::uint8_t>(by.alphabet.find(c)));
  return made;
}

// The score of the two lines; also checks the middle line.
std::int32_t score_of(const alignment& of, const inputs::scoring& by, std::int32_t gap) {
  std::int32_t score = 0;
  for (std::size_t at = 0; at < of.length(); ++at) {
    const char one = of.down.at(at);
    const char other = of.across.at(at);
    EXPECT_FALSE(one == '-' && other == '-');
    if (one == '-' || other == '-') {
      score -= gap;
      EXPECT_EQ(of.middle[at], ' ');
      continue;
    }
    const std::int32_t similarity = by.similarity[by.alphabet.find(one)][by.alphabet.find(other)];
    EXPECT_EQ(of.middle[at], one == other ? '|' : similarity > 0 ? ':' : '.');
    score += similarity;
  }
  return score;
}

void expect_right(letters down, letters across, const inputs::scoring& by, std::int32_t gap) {
  const alignment of = aligned(down, across, by, gap);
  EXPECT_EQ(of.down.size(), of.length());
  EXPECT_EQ(of.across.size(), of.length());
  EXPECT_TRUE(std::ranges::equal(numbers_of(of.down, by), down));
  EXPECT_TRUE(std::ranges::equal(numbers_of(of.across, by), across));
  EXPECT_EQ(of.score, scores_of(down, across, by, gap).last_row.back());
  EXPECT_EQ(score_of(of, by, gap), of.score);
}

TEST(alignment, is_of_the_sequences_and_worth_the_corner) {
  std::mt19937 random(7);
  const auto sequence = [&] {
    numbers made(random() % 90);
    for (std::uint8_t& each : made) each = static_cast<std::uint8_t>(random() % 24);
    return made;
  };
  for (int i = 0; i < 300; ++i) expect_right(sequence(), sequence(), inputs::blosum62, i % 12 + 1);
}

TEST(alignment, of_human_and_orang_utan) {
  const inputs::sequence_pair pair = inputs::load_pair(
      SEQUENCES_FOLDER "/MT-human.fa," SEQUENCES_FOLDER "/MT-orang.fa", inputs::nuc44);
  // The first quarter, so that the matrix stays small.
  const letters down = letters(pair.down.letters).first(4096);
  const letters across = letters(pair.across.letters).first(4096);
  expect_right(down, across, inputs::nuc44, 10);
}

struct ends {
  std::string down;
  std::string across;
  std::string aligned_down;
  std::string middle;
  std::string aligned_across;
};

// In another order all have the same score.
TEST(alignment, has_a_pair_last_rather_than_a_gap_and_a_gap_below_rather_than_above) {
  const std::vector<ends> all{{"AAA", "A", "AAA", "  |", "--A"}, {"A", "AAA", "--A", "  |", "AAA"},
                              {"AC", "CA", "-AC", " | ", "CA-"}, {"", "CA", "--", "  ", "CA"},
                              {"CA", "", "CA", "  ", "--"},      {"", "", "", "", ""}};
  for (const ends& each : all) {
    const alignment of = aligned(numbers_of(each.down, inputs::nuc44),
                                 numbers_of(each.across, inputs::nuc44), inputs::nuc44, 1);
    EXPECT_EQ(of.down, each.aligned_down);
    EXPECT_EQ(of.middle, each.middle);
    EXPECT_EQ(of.across, each.aligned_across);
  }
}

TEST(alignment, of_a_wrong_matrix_is_none) {
  const numbers down = numbers_of("ACGT", inputs::nuc44);
  const numbers across = numbers_of("AGT", inputs::nuc44);
  const auto error_with = [&](std::size_t cell, std::int32_t off_by) -> std::string {
    whole_matrix scores(down, across, inputs::nuc44, 10);
    scores.scores.at(cell) += off_by;
    try {
      scores.traced(down, across, inputs::nuc44, 10);
    } catch (const std::runtime_error& error) {
      return error.what();
    }
    return "no error";
  };
  EXPECT_EQ(error_with(0, 0), "no error");
  EXPECT_EQ(error_with(0, 1), "the score 5 of row 1, column 1 follows from none of its neighbours");
  EXPECT_EQ(error_with(19, -1),
            "the score 4 of row 4, column 3 follows from none of its neighbours");
}

TEST(alignment, is_printed_in_blocks_with_the_numbers_of_its_letters) {
  const std::string tail(70, 'G');
  const alignment of{"ARN" + tail, ":|." + std::string(70, ' '), "SRC" + std::string(70, '-'), 7};
  EXPECT_EQ(summary_of(of),
            "length 73, identities 1 (1.4 %), similarities 2 (2.7 %), gaps 70 (95.9 %), score 7\n");
  const std::string indent(26, ' ');
  EXPECT_EQ(printed(of, "one", "a name that is far too long"),
            "one                     1 ARN" + std::string(57, 'G') + " 60\n" + indent + ":|." +
                std::string(57, ' ') + "\n" + "a name that is f        1 SRC" +
                std::string(57, '-') + " 3\n" + "\n" +
                "one                    61 GGGGGGGGGGGGG 73\n" + indent + std::string(13, ' ') +
                "\n" + "a name that is f        3 ------------- 3\n");
  EXPECT_EQ(printed({"", "", "", 0}, "one", "two"), "");
}

}  // namespace
}  // namespace finesync::nw
