// The reader of FASTA: valid files, and each way in which a file can be wrong.
#include <inputs/mapped_file.hpp>
#include <inputs/sequences/fasta.hpp>
#include <inputs/sequences/scorings.hpp>

#include <gtest/gtest.h>
#include <tests/suite/inputs/error_of.hpp>

#include <algorithm>
#include <array>
#include <chrono>

namespace finesync::inputs {
namespace {

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
