// Rodinia's sequences. tests/suite/nw_reference proves by their scores that they are the same.
#include <inputs/glibc_random.hpp>
#include <inputs/sequences/rodinia.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <span>

namespace finesync::inputs {
namespace {

TEST(glibc_random, has_the_numbers_of_glibc) {
  glibc_random random(1);
  EXPECT_EQ(random(), 1804289383u);
  EXPECT_EQ(random(), 846930886u);
  EXPECT_EQ(random(), 1681692777u);
}

#ifdef __GLIBC__
TEST(glibc_random, has_the_numbers_of_this_glibc) {
  for (const unsigned seed : {0u, 7u, 2147483647u, 2147483648u, 4294967295u}) {
    glibc_random random(seed);
    std::srand(seed);
    for (int i = 0; i < 1000; ++i)
      ASSERT_EQ(random(), static_cast<std::uint32_t>(std::rand())) << seed;  // NOLINT
  }
}
#endif

TEST(rodinia, all_letters_of_rows_come_first) {
  const sequence_pair square = rodinia_pair(100, 100);
  const sequence_pair flat = rodinia_pair(30, 170);
  std::vector<std::uint8_t> all = square.down.letters;
  all.insert(all.end(), square.across.letters.begin(), square.across.letters.end());
  EXPECT_TRUE(std::ranges::equal(flat.down.letters, std::span(all).first(30)));
  EXPECT_TRUE(std::ranges::equal(flat.across.letters, std::span(all).subspan(30)));
  EXPECT_EQ(std::ranges::min(all), 1);
  EXPECT_EQ(std::ranges::max(all), 10);
}

}  // namespace
}  // namespace finesync::inputs
