// Alignments from matrices: they consist of the sequences, have their score, and print correctly.
#include <inputs/sequences/load.hpp>
#include <inputs/sequences/scorings.hpp>
#include <workloads/nw/reference/alignment.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <stdexcept>

namespace finesync::nw {
namespace {

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
