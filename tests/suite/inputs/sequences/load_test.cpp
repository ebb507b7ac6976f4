// Sequences by their names on the command line.
#include <inputs/glibc_random.hpp>
#include <inputs/mapped_file.hpp>
#include <inputs/sequences/fasta.hpp>
#include <inputs/sequences/load.hpp>
#include <inputs/sequences/rodinia.hpp>
#include <inputs/sequences/scorings.hpp>

#include <gtest/gtest.h>
#include <tests/suite/inputs/error_of.hpp>
#include <tests/suite/inputs/scratch_folder.hpp>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdlib>
#include <span>

namespace finesync::inputs {
namespace {

class sequences_of_a_user : public testing::Test {
 protected:
  sequences_of_a_user() {
    write_text(scratch_ / "three.fa", ">x\nA\n>3\nAA\n>y\nAAA\n");
    write_text(scratch_ / "one.fa", ">z\nAAAA\n");
    write_text(scratch_ / "a,b#1.fa", ">v\nA\n>w\nA\n");
  }

  // "down across", or the error message. Files are named without their folder.
  std::string names_of(const std::string& one, const std::string& other = "") {
    const std::string input = (scratch_ / one) + (other.empty() ? "" : "," + (scratch_ / other));
    std::string names;
    const std::string error = error_of([&] {
      const sequence_pair read = load_pair(input, nuc44);
      names = read.down.name + " " + read.across.name;
    });
    if (error == "no error") return names;
    const std::size_t folder = (scratch_ / "").size();
    return error.substr(folder);
  }

  scratch_folder scratch_;
};

TEST_F(sequences_of_a_user, are_the_first_two_of_one_file_or_the_first_of_each_of_two) {
  EXPECT_EQ(names_of("three.fa"), "x 3");
  EXPECT_EQ(names_of("three.fa", "one.fa"), "x z");
  EXPECT_EQ(names_of("one.fa", "one.fa"), "z z");
}

TEST_F(sequences_of_a_user, may_be_chosen_by_name_or_else_by_number) {
  EXPECT_EQ(names_of("three.fa#y", "one.fa"), "y z");
  EXPECT_EQ(names_of("three.fa#2", "three.fa#3"), "3 3");
  EXPECT_EQ(names_of("one.fa#1", "three.fa#1"), "z x");
  for (const char* const wrong : {"4", "0", "-1", "", "yy", "1x", "99999999999999999999"})
    EXPECT_EQ(names_of(std::string("three.fa#") + wrong, "one.fa"),
              std::string("three.fa: there is no record '") + wrong +
                  "', neither by name nor by number from 1 to 3");
}

TEST_F(sequences_of_a_user, are_not_chosen_by_a_name_that_two_have) {
  write_text(scratch_ / "twins.fa", ">b\nA\n>a\nAA\n>c\nA\n>a\nAAA\n");
  EXPECT_EQ(names_of("twins.fa#a", "twins.fa#a"),
            "twins.fa: two records are named 'a': choose one by number, #2 or #4");
  EXPECT_EQ(names_of("twins.fa#4", "twins.fa#b"), "a b");
}

TEST_F(sequences_of_a_user, are_in_the_file_of_the_whole_name_where_there_is_one) {
  EXPECT_EQ(names_of("a,b#1.fa"), "v w");
}

TEST_F(sequences_of_a_user, must_be_two_that_are_there) {
  const std::string one = ": that is one sequence, and it takes two: FILE,FILE or FILE#1,FILE#2";
  EXPECT_EQ(names_of("one.fa"), "one.fa" + one);
  EXPECT_EQ(names_of("three.fa#2"), "three.fa#2" + one);
  EXPECT_EQ(names_of("none.fa", "one.fa"), "none.fa: No such file or directory");
  EXPECT_EQ(names_of("one.fa,"), "one.fa,: No such file or directory");
  EXPECT_EQ(names_of("one.fa", "none.fa"), "none.fa: No such file or directory");
}

// Rodinia's sequences. tests/suite/nw_reference proves by their scores that they are the same.

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

// The reader of FASTA: valid files, and each way in which a file can be wrong.

std::string text_of(const sequence& read, const scoring& by) {
  std::string text;
  for (const std::uint8_t letter : read.letters) text += by.alphabet.at(letter);
  return text;
}

std::vector<std::string> names_and_letters(const std::string& text, const scoring& by = nuc44) {
  std::vector<std::string> found;
  for (const sequence& each : parse_fasta(text, "file", by))
    found.push_back(each.name + " " + text_of(each, by));
  return found;
}

using texts = std::vector<std::string>;

TEST(fasta, a_real_file_has_its_published_counts) {
  const std::string file = SEQUENCES_FOLDER "/MT-human.fa";
  const std::vector<sequence> read = parse_fasta(mapped_file(file).bytes(), file, nuc44);
  ASSERT_EQ(read.size(), 1u);
  EXPECT_EQ(read[0].name, "MT_human");
  ASSERT_EQ(read[0].letters.size(), 16'569u);
  std::array<int, 4> by_letter{};
  for (const std::uint8_t letter : read[0].letters) ++by_letter.at(letter);
  EXPECT_EQ(by_letter,
            (std::array{5125, 4094, 2169, 5181}));  // A T G C, including one lower-case a
}

TEST(fasta, letters_are_their_places_in_the_alphabet) {
  const std::vector<sequence> read = parse_fasta(">a\nARN*arn\n", "file", blosum62);
  EXPECT_EQ(read.at(0).letters, (std::vector<std::uint8_t>{0, 1, 2, 23, 0, 1, 2}));
}

TEST(fasta, lines_may_be_cut_anywhere_and_end_in_any_way) {
  const texts expected{"one ACGTN", "two GG"};
  for (const char* const text :
       {">one first of all\nACGTN\n>two\nGG\n", ">one\nAC\nGT\n\nN\n\n>two\nG\nG",
        ">one\r\nACGT\r\nN\r\n>two\r\nGG\r\n", "\n \r\n>one\na c\tG\n tn \n> two\ngg\r",
        "> \tone\tx > y\nACGTN\n>two \nGG", "\xef\xbb\xbf>one\nACGTN\n>two\nGG\r"})
    EXPECT_EQ(names_and_letters(text), expected) << text;
}

TEST(fasta, a_record_without_a_name_has_its_number) {
  EXPECT_EQ(names_and_letters(">\nA\n> \nC\n>x\nG\n"), (texts{"1 A", "2 C", "x G"}));
}

TEST(fasta, letters_that_an_alphabet_lacks_are_read_as_others) {
  EXPECT_EQ(names_and_letters(">rna\nACGUu"), (texts{"rna ACGTT"}));
  EXPECT_EQ(names_and_letters(">p\nUOJuojT*", blosum62), (texts{"p XXXXXXT*"}));
}

TEST(fasta, ten_million_letters_may_be_one_line_and_take_no_time) {
  constexpr std::size_t count = 10'000'000;
  std::string text = ">long\n" + std::string(count, 'G');
  const auto start = std::chrono::steady_clock::now();
  const std::vector<sequence> read = parse_fasta(text, "file", nuc44);
  const auto taken = std::chrono::steady_clock::now() - start;
  ASSERT_EQ(read.at(0).letters.size(), count);
  EXPECT_TRUE(
      std::ranges::all_of(read[0].letters, [](std::uint8_t letter) { return letter == 2; }));
  EXPECT_LT(taken, std::chrono::seconds(2));  // 20 ms on an idle machine
  text[6 + count / 2] = '-';
  EXPECT_EQ(error_of([&] { parse_fasta(text, "file", nuc44); }),
            "file:2: '-' in column 5000001 is no letter of nuc44 (ATGCSWRYKMBVHDN)");
}

class fasta_reader : public testing::TestWithParam<wrong_file> {};

TEST_P(fasta_reader, says_what_is_wrong_and_where) {
  const auto& [text, error] = GetParam();
  EXPECT_EQ(error_of([&, &text = text] { parse_fasta(text, "file", nuc44); }), "file:" + error);
}

const std::string no_letter_of_it = " is no letter of nuc44 (ATGCSWRYKMBVHDN)";

const std::vector<wrong_file> texts_without_records{
    {"", "1: the file is empty"},
    {"\n \r\n", " there is no record, which '>' and a name begin"},
    {"\nACGT\n>a\nACGT\n", "2: expected '>' and a name, found 'ACGT'"},
    {"; old\n>a\nA\n", "1: expected '>' and a name, found '; old'"},
    {"\x1f\x8b\x08", "1: it is compressed by gzip: unpack it first"},
    {"BZh91AY", "1: it is compressed by bzip2: unpack it first"},
    {"\x28\xb5\x2f\xfd\x04", "1: it is compressed by zstd: unpack it first"},
    {std::string("\0\0\0\0", 4), "1: expected '>' and a name, found '\?\?\?\?'"}};

INSTANTIATE_TEST_SUITE_P(no_records, fasta_reader, testing::ValuesIn(texts_without_records));

const std::vector<wrong_file> texts_with_wrong_records{
    {">a", "1: 'a' has no letters"},
    {">", "1: '1' has no letters"},
    {">a\nA\n>b\n\n \n", "3: 'b' has no letters"},
    {">a\n\n>b\nA\n", "1: 'a' has no letters"},
    {">a\x01z b\nA\n", "1: the name 'a?z' does not print"},
    {">a\nACGT\nAC GX-T\n", "3: 'X' in column 5" + no_letter_of_it},
    {">a\nAC\nA-T\n", "3: '-' in column 2" + no_letter_of_it},
    {">a\nAC\nA>T\n", "3: '>' in column 2" + no_letter_of_it},
    {">a\nAC*\n", "2: '*' in column 3" + no_letter_of_it},
    {std::string(">a\nA\0C\n", 7), "2: byte 0x00 in column 2" + no_letter_of_it},
    {">a\nA\rC\n", "2: byte 0x0d in column 2" + no_letter_of_it},
    {">a\nA\xff", "2: byte 0xff in column 2" + no_letter_of_it}};

INSTANTIATE_TEST_SUITE_P(wrong_records, fasta_reader, testing::ValuesIn(texts_with_wrong_records));

}  // namespace
}  // namespace finesync::inputs
