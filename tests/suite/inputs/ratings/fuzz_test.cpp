// For any bytes, a reader either reports the error in one line or returns a valid matrix.
#include <inputs/ratings/cache.hpp>
#include <inputs/ratings/generate.hpp>
#include <inputs/ratings/text_formats.hpp>

#include <tests/suite/inputs/fuzz.hpp>
#include <tests/suite/inputs/scratch_folder.hpp>

#include <cmath>

namespace finesync::inputs {
namespace {

const std::vector<std::string> pieces{
    "-",          "+",  ".",    "e",          ":",
    "::",         " ",  "\n",   "\r\n",       "\r",
    "\t",         "%",  "nan",  "-inf",       "0",
    "1",          "9",  "e999", "e-999",      "1e39",
    "4294967295", "\0", "\xff", "4294967296", "18446744073709551616",
    "% 3 1 1\n"};

void check_valid(const ratings& read) {
  ASSERT_FALSE(read.entries.empty());
  for (const rating& each : read.entries) {
    ASSERT_LT(each.left, read.lefts);
    ASSERT_LT(each.right, read.rights);
    ASSERT_TRUE(std::isfinite(each.value));
  }
}

template <class Read>
outcomes fuzz(const std::vector<std::string>& valid, Read&& read) {
  return fuzz(valid, mutator(pieces), [&](const std::string& text) { check_valid(read(text)); });
}

TEST(fuzz, movielens) {
  expect_both(fuzz({"1::122::5::838985046\n1::185::0.5::838983525\n2::4294967294::3::868245777\n",
                    "7::1::3::0\r\n2::1::4::0\r\n"},
                   [](const std::string& text) { return parse_movielens(text, "file"); }));
}

TEST(fuzz, konect) {
  expect_both(fuzz({"% bip weighted\n% 3 2 9\n1 9 4.5\n2 1 -3 1094785734\n1 1\n",
                    "% bip positive\n% 5 1 2\n1 1 3\n1 2 2\n", "% bip\n%\n3 1\n1 5\n"},
                   [](const std::string& text) { return parse_konect(text, "file"); }));
}

TEST(fuzz, matrix_market) {
  expect_both(fuzz(
      {"%%MatrixMarket matrix coordinate real general\n% by hand\n2 3 2\n1 3 -2.5e-1\n2 1 +4\n",
       "%%MatrixMarket matrix coordinate pattern general\n4 4 2\n4 4\n1 1\n"},
      [](const std::string& text) { return parse_matrix_market(text, "file"); }));
}

TEST(fuzz, any_text) {
  expect_both(fuzz({"1::2::5::8\n", "% bip weighted\n1 1 3\n",
                    "%%MatrixMarket matrix coordinate integer general\n1 1 1\n1 1 3\n"},
                   [](const std::string& text) { return parse_ratings(text, "file"); }));
}

TEST(fuzz, cache) {
  const scratch_folder scratch;
  write_cache({"", 2, 3, {{1, 2, 4.5}, {0, 0, 1}}}, {1, 2}, scratch / "cache");
  const std::string valid = text_of(scratch / "cache");
  const auto read = [](const std::string& bytes) { return parse_cache(bytes, "file").value; };
  const outcomes met = fuzz({valid}, read);
  // An inserted piece may equal the original text; only then is a mutated file valid.
  EXPECT_GT(met.refused, 99 * met.valid);
}

}  // namespace
}  // namespace finesync::inputs
