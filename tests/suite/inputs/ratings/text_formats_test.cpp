// The readers of text: real excerpts, and each way in which a file can be wrong.
#include <inputs/mapped_file.hpp>
#include <inputs/ratings/text_formats.hpp>

#include <gtest/gtest.h>
#include <tests/suite/inputs/error_of.hpp>

#include <algorithm>
#include <array>
#include <numeric>

namespace finesync::inputs {
namespace {

using entries = std::vector<rating>;

const std::string movietweetings = RATINGS_FOLDER "/movietweetings-12k.dat";

void expect_reads(const std::string& text, std::uint32_t lefts, std::uint32_t rights,
                  const entries& expected) {
  for (const std::string& form : {text, with_crlf(text)}) {
    const ratings read = parse_ratings(form, "file");
    EXPECT_EQ(read.lefts, lefts);
    EXPECT_EQ(read.rights, rights);
    EXPECT_EQ(read.entries, expected);
  }
}

TEST(movielens, a_real_file_has_its_published_counts) {
  const ratings read = parse_ratings(mapped_file(movietweetings).bytes(), movietweetings);
  EXPECT_EQ(read.lefts, 2'091u);
  EXPECT_EQ(read.rights, 3'430u);
  ASSERT_EQ(read.entries.size(), 12'000u);
  EXPECT_EQ(std::ranges::max(degrees_of(read).of_lefts), 139u);
  EXPECT_EQ(std::ranges::max(degrees_of(read).of_rights), 209u);
  std::array<int, 11> by_value{};
  for (const rating& each : read.entries) ++by_value.at(static_cast<std::size_t>(each.value));
  EXPECT_EQ(by_value, (std::array{2, 142, 136, 233, 437, 779, 1574, 2696, 2830, 1670, 1501}));
}

TEST(movielens, ids_are_numbered_in_their_order) {
  expect_reads("7::122::5::838985046\n7::20::0.5::838983525\n1::4294967294::3::0\n", 2, 3,
               {{1, 1, 5}, {1, 0, 0.5}, {0, 2, 3}});
}

TEST(movielens, may_have_blanks_and_empty_lines_around_its_lines) {
  for (const char* const text :
       {"1::7::5::9\n2::7::3::1\n\n", "\n \n 1::7::5::9 \n\t\n2::7::+3.::1\n  ",
        "\xef\xbb\xbf"
        "1::7::5::9\n2::7::.3e1::1\n"})
    expect_reads(text, 2, 1, {{0, 0, 5}, {1, 0, 3}});
}

TEST(values, that_are_too_small_for_a_float_are_zero) {
  expect_reads("1::7::1e-400::9\n2::7::-1e-46::1\n3::7::0.0e-99999::1\n", 3, 1,
               {{0, 0, 0}, {1, 0, 0}, {2, 0, 0}});
  expect_reads("% bip weighted\n1 1 1e-99999\n", 1, 1, {{0, 0, 0}});
}

TEST(konect, may_have_blanks_and_empty_lines_around_its_lines) {
  expect_reads("\xef\xbb\xbf % bip weighted \n\n %\t1 1 1\n\n% x\n \n 1\t1 2 \n\n", 1, 1,
               {{0, 0, 2}});
}

TEST(konect, reads_values_and_times_where_there_are_any) {
  expect_reads("% bip weighted\n% 3 2 9\n1 9 4.5\n2\t1   -3 1.094785734e9\n1 1\n", 2, 9,
               {{0, 8, 4.5}, {1, 0, -3}, {0, 0, 1}});
}

TEST(konect, without_sizes_the_largest_ids_are_the_sizes) {
  expect_reads("% bip unweighted\n% a comment\n%\n3 1\n1 5\n3 1\n", 3, 5,
               {{2, 0, 1}, {0, 4, 1}, {2, 0, 1}});
}

TEST(konect, values_that_count_may_add_up_to_what_is_announced) {
  expect_reads("% bip positive\n% 5 1 2\n1 1 3\n1 2 2\n", 1, 2, {{0, 0, 3}, {0, 1, 2}});
  expect_reads("% bip positive\n% 2 1 2\n1 1 3\n1 2 2\n", 1, 2, {{0, 0, 3}, {0, 1, 2}});
}

TEST(matrix_market, reads_real_integer_and_pattern) {
  expect_reads(
      "%%MatrixMarket matrix coordinate real general\n% by hand\n\n2 3 2\n1 3 -2.5e-1\n"
      "2 1 +4\n",
      2, 3, {{0, 2, -0.25}, {1, 0, 4}});
  expect_reads("%%matrixmarket MATRIX Coordinate integer General\n1 1 1\n1 1 7", 1u, 1u,
               {{0, 0, 7}});
  expect_reads("%%MatrixMarket matrix coordinate pattern general\n4 4 2\n4 4\n1 1\n\n", 4, 4,
               {{3, 3, 1}, {0, 0, 1}});
}

TEST(matrix_market, may_be_spaced_and_spelled_in_many_ways) {
  for (const std::string text :
       {"%%MatrixMarket matrix coordinate integer general\n%\n \n % c\n  2  3  2\n\n  1 3 -5\n "
        "\n\t2 1 4 \n",
        "\xef\xbb\xbf%%MatrixMarket\tmatrix coordinate DOUBLE general\n2 3 2\n1 3 -5.\n2 1 +4e0",
        "%%MatrixMarket matrix coordinate unsigned-integer general\n2 3 2\n1 3 -5\n2 1 +4\n\n \n"})
    expect_reads(text, 2, 3, {{0, 2, -5}, {1, 0, 4}});
}

TEST(mapped, what_is_no_file_is_refused) {
  EXPECT_EQ(error_of([] { mapped_file("/nowhere/a"); }), "/nowhere/a: No such file or directory");
  EXPECT_EQ(error_of([] { mapped_file("/"); }), "/: it is not a regular file");
  EXPECT_EQ(error_of([] { mapped_file("/dev/null"); }), "/dev/null: it is not a regular file");
}

class every_reader : public testing::TestWithParam<wrong_file> {};

TEST_P(every_reader, says_what_is_wrong_and_where) {
  const auto& [text, error] = GetParam();
  EXPECT_EQ(error_of([&, &text = text] { parse_ratings(text, "file"); }), "file:" + error);
}

const std::string banner = "%%MatrixMarket matrix coordinate ";
const std::string real = banner + "real general\n";

const std::vector<wrong_file> mislabelled_texts{
    {"", "1: the file is empty"},
    {"c road network\np sp 2 1\na 1 2 3\n", "1: it looks like a DIMACS graph"},
    {"p tw 2 1\n1 2\n", "1: it looks like a DIMACS graph"},
    {"\x1f\x8b\x08", "1: it is compressed by gzip: unpack it first"},
    {"\x28\xb5\x2f\xfd\x04", "1: it is compressed by zstd: unpack it first"},
    {"\x1f\x9d\x90", "1: it is compressed by compress: unpack it first"},
    {"\x04\x22\x4d\x18", "1: it is compressed by lz4: unpack it first"},
    {"BZh91AY", "1: it is compressed by bzip2: unpack it first"},
    {"\xfd\x37zXZ", "1: it is compressed by xz: unpack it first"},
    {"PK\x03\x04", "1: it is compressed by zip: unpack it first"},
    {std::string("\x01\0\0\0\0\0\0\0", 8), "1: it is binary data, not a text with ratings"},
    {"userId,movieId,rating,timestamp\n1,2,3,4\n",
     "1: it is none of MovieLens (user::item::rating::time), KONECT (begins with '% bip') and "
     "Matrix Market (begins with '%%MatrixMarket')"}};

INSTANTIATE_TEST_SUITE_P(mislabelled, every_reader, testing::ValuesIn(mislabelled_texts));

const std::vector<wrong_file> wrong_movielens{
    {"1::2::3::4\n1::2::3:4\n", "2: expected '::', found ':4'"},
    {"1::2::3\n", "1: expected '::', found the end of the line"},
    {"1::2::3::4", "1: the file ends within a line"},
    {"1::2::3::4\n1::", "2: expected an item from 0 to 4294967294, found the end of the line"},
    {"1::2::+-4::3\n", "1: expected a finite number, found '+-4::3'"},
    {"1::2::--4::3\n", "1: expected a finite number, found '--4::3'"},
    {"1::2::+::3\n", "1: expected a finite number, found '+::3'"},
    {"1::2::0x10::3\n", "1: expected a finite number, found '0x10::3'"},
    {"1::2::1e400::3\n", "1: expected a finite number, found '1e400::3'"},
    {"1::2::3::4\n-1::2::3::4\n", "2: expected a user from 0 to 4294967294, found '-1::2::3::4'"},
    {"1::4294967295::3::4\n", "1: expected an item from 0 to 4294967294, found '4294967295::3::4'"},
    {"99999999999999999999::2::3\n",
     "1: expected a user from 0 to 4294967294, found '99999999999999999999::2:...'"},
    {"1::2::nan::4\n", "1: expected a finite number, found 'nan::4'"},
    {"1::2::-inf::4\n", "1: expected a finite number, found '-inf::4'"},
    {"1::2::1e39::4\n", "1: expected a finite number, found '1e39::4'"},
    {"1::2::3::4 5\n", "1: expected the end of the line, found '5'"},
    {"1::2::3::\x07\xff\n", "1: expected a time from 0 to 18446744073709551615, found '\?\?'"}};

INSTANTIATE_TEST_SUITE_P(movielens, every_reader, testing::ValuesIn(wrong_movielens));

const std::vector<wrong_file> wrong_konect{
    {"% sym weighted\n1 2 3\n",
     "1: expected '% bip', found 'sym': only bipartite graphs have ratings"},
    {"% bip\n", "2: there are no ratings"},
    {"% bip weighted\n1 2 3", "2: the file ends within a line"},
    {"% bip weighted\n% 3 2 9\n1 9 4\n2 1 3\n# cut\n",
     "5: expected a left id from 1 to 2, found '#'"},
    {"% bip weighted\n% 3 2 9\n1 9 4.25\n2 1 3\n",
     "5: the file ends after 2 of the 3 entries announced"},
    {"% bip positive\n% 8 2 9\n1 9 4\n2 1 3\n",
     "5: the file ends after 2 of the 8 entries announced"},
    {"% bip weighted\n% 1 2 9\n1 9 4\n2 1 3\n", "4: there are more than the 1 entries announced"},
    {"% bip weighted\n% 1 2 9\n3 9 4\n", "3: expected a left id from 1 to 2, found '3'"},
    {"% bip weighted\n% 1 2 9\n2 10 4\n", "3: expected a right id from 1 to 9, found '10'"},
    {"% bip weighted\n0 1\n", "2: expected a left id from 1 to 4294967295, found '0'"},
    {"% bip weighted\n1 4294967296\n",
     "2: expected a right id from 1 to 4294967295, found '4294967296'"},
    {"% bip weighted\n1 2.5\n", "2: expected a right id from 1 to 4294967295, found '2.5'"},
    {"% bip weighted\n1 2 nan\n", "2: expected a finite number, found 'nan'"},
    {"% bip weighted\n% 100 2 9\n1 9 4\n",
     "3: 100 entries are announced, and the file has room for 1 at most"},
    {"% bip weighted\n% 99999999999999999999 2 9\n1 9 4\n",
     "2: expected a number of entries from 1 to 1099511627776, found '99999999999999999999'"},
    {"% bip weighted\n% 1 4294967296 9\n1 9 4\n",
     "2: expected a number of lefts from 1 to 4294967295, found '4294967296'"},
    {"% bip weighted\n% -1 2 9\n1 9 4\n",
     "2: expected a number of entries from 1 to 1099511627776, found '-1'"},
    {"% bip weighted\n1 2 3 noon\n", "2: expected a finite number, found 'noon'"},
    {"% bip weighted\n1 4294967295\n",
     "3: 4294967295 rights in 13 bytes: most of these ids cannot occur"}};

INSTANTIATE_TEST_SUITE_P(konect, every_reader, testing::ValuesIn(wrong_konect));

const std::vector<wrong_file> wrong_matrix_market{
    {"%%MatrixMarket\n", "1: the object must be matrix, and is ''"},
    {"%%Mat matrix\n", "1: the banner must be %%matrixmarket, and is '%%Mat'"},
    {"%%MatrixMarket matrix array real general\n",
     "1: the layout must be coordinate, and is 'array'"},
    {banner + "complex general\n",
     "1: the field must be pattern or integer or real, and is 'complex'"},
    {banner + "real symmetric\n", "1: the symmetry must be general, and is 'symmetric'"},
    {banner + "real skew-symmetric\n", "1: the symmetry must be general, and is 'skew-symmetric'"},
    {real, "2: expected a number of rows from 0 to 4294967295, found the end of the line"},
    {real + "2 2\n",
     "2: expected a number of entries from 0 to 1099511627776, found the end of the line"},
    {real + "0 2 1\n1 1 1\n", "2: 0 rows and 2 columns have no entries"},
    {real + "2 2 0\n", "3: there are no ratings"},
    {real + "2 2 2\n1 1 1\n% 1 2 1\n1 2 1\n", "4: expected a left id from 1 to 2, found '%'"},
    {banner + "integer general\n2 2 1\n1 1 2.5\n",
     "3: expected an integer of 64 bits, found '2.5'"},
    {real + "18446744073709551617 2 1\n1 1 1\n",
     "2: expected a number of rows from 0 to 4294967295, found '18446744073709551617'"},
    {real + "2 2 1000000000000\n1 1 1\n",
     "3: 1000000000000 entries are announced, and the file has room for 1 at most"},
    {real + "2 2 2\n1 1 1.00\n", "4: the file ends after 1 of the 2 entries announced"},
    {real + "2 2 1\n1 1 1\n2 2 1\n", "4: there are more than the 1 entries announced"},
    {real + "2 2 1\n3 1 1\n", "3: expected a left id from 1 to 2, found '3'"},
    {real + "2 2 1\n1 -1 1\n", "3: expected a right id from 1 to 2, found '-1'"},
    {real + "2 2 1\n1 1\n", "3: expected a finite number, found the end of the line"},
    {real + "2 2 1\n1 1 inf\n", "3: expected a finite number, found 'inf'"},
    {real + "2 2 1\n1 1 2 3\n", "3: expected the end of the line, found '3'"},
    {banner + "pattern general\n2 2 1\n1 1 2\n", "3: expected the end of the line, found '2'"},
    {real + "2000000 2 1\n1 1 2\n", "4: 2000000 lefts in 6 bytes: most of these ids cannot occur"}};

INSTANTIATE_TEST_SUITE_P(matrix_market, every_reader, testing::ValuesIn(wrong_matrix_market));

}  // namespace
}  // namespace finesync::inputs
