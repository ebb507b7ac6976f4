// The substitution matrices.
#include <inputs/sequences/scorings.hpp>

#include <gtest/gtest.h>
#include <tests/suite/inputs/error_of.hpp>

#include <numeric>

namespace finesync::inputs {
namespace {

int of(const scoring& by, char one, char other) {
  return by.similarity.at(by.alphabet.find(one)).at(by.alphabet.find(other));
}

// The sum of all entries, including those of letters that the alphabet lacks.
int sum_of(const scoring& by) {
  int sum = 0;
  for (const auto& row : by.similarity) sum = std::accumulate(row.begin(), row.end(), sum);
  return sum;
}

TEST(scorings, are_symmetric_and_zero_outside_their_alphabets) {
  for (const scoring* const by : {&blosum62, &nuc44})
    for (unsigned i = 0; i < scoring::max_letters; ++i)
      for (unsigned j = 0; j < scoring::max_letters; ++j) {
        EXPECT_EQ(by->similarity[i][j], by->similarity[j][i]) << by->name << i << j;
        if (j >= by->letters()) {
          EXPECT_EQ(by->similarity[i][j], 0) << by->name << i << j;
        }
      }
}

TEST(scorings, blosum62_is_the_published_table) {
  EXPECT_EQ(blosum62.letters(), 24u);
  const std::string diagonal = "A4 R5 N6 D6 C9 Q5 E5 G6 H8 I4 L4 K5 M5 F6 P7 S4 T5 Y7 V4 B4 Z4 *1";
  for (std::size_t i = 0; i < diagonal.size(); i += 3)
    EXPECT_EQ(of(blosum62, diagonal[i], diagonal[i]), diagonal[i + 1] - '0') << diagonal[i];
  EXPECT_EQ(of(blosum62, 'W', 'W'), 11);
  EXPECT_EQ(of(blosum62, 'X', 'X'), -1);
  EXPECT_EQ(of(blosum62, 'I', 'V'), 3);
  EXPECT_EQ(of(blosum62, 'D', 'E'), 2);
  EXPECT_EQ(of(blosum62, 'G', 'L'), -4);
  EXPECT_EQ(of(blosum62, 'B', 'D'), 4);
  EXPECT_EQ(of(blosum62, 'A', '*'), -4);
  EXPECT_EQ(sum_of(blosum62), -726);
}

TEST(scorings, nuc44_is_the_published_table) {
  EXPECT_EQ(nuc44.letters(), 15u);
  for (const char one : {'A', 'C', 'G', 'T'})
    for (const char other : {'A', 'C', 'G', 'T'})
      EXPECT_EQ(of(nuc44, one, other), one == other ? 5 : -4);
  EXPECT_EQ(of(nuc44, 'A', 'R'), 1);
  EXPECT_EQ(of(nuc44, 'C', 'R'), -4);
  EXPECT_EQ(of(nuc44, 'A', 'N'), -2);
  EXPECT_EQ(of(nuc44, 'S', 'H'), -3);
  EXPECT_EQ(of(nuc44, 'N', 'N'), -1);
  EXPECT_EQ(sum_of(nuc44), -395);
}

TEST(scorings, are_known_by_name) {
  EXPECT_EQ(&scoring_named("blosum62"), &blosum62);
  EXPECT_EQ(&scoring_named("nuc44"), &nuc44);
  EXPECT_EQ(error_of([] { scoring_named("pam250"); }),
            "pam250: there is no scoring of that name (known: blosum62, nuc44)");
}

}  // namespace
}  // namespace finesync::inputs
