// For any bytes, the reader of FASTA either reports the error in one line or returns named
// sequences of letters.
#include <inputs/sequences/fasta.hpp>
#include <inputs/sequences/scorings.hpp>

#include <gtest/gtest.h>
#include <tests/suite/inputs/fuzz.hpp>

namespace finesync::inputs {
namespace {

const std::vector<std::string> pieces{
    ">",    ">>", "> ",   ">b\n", "\n>",  "\n",  "\r\n",
    "\r",   " ",  "\t",   "-",    ".",    "*",   std::string(1, '\0'),
    "\xff", "U",  "acgt", "N",    "\x1f", "BZh", ";"};

void check_valid(const std::vector<sequence>& read, const scoring& by) {
  ASSERT_FALSE(read.empty());
  for (const sequence& each : read) {
    ASSERT_FALSE(each.name.empty());
    ASSERT_TRUE(std::ranges::all_of(each.name, [](char c) { return c > ' ' && c <= '~'; }));
    ASSERT_FALSE(each.letters.empty());
    ASSERT_LT(std::ranges::max(each.letters), by.letters());
  }
}

void fuzz_by(const scoring& by, const std::vector<std::string>& valid) {
  expect_both(fuzz(valid, mutator(pieces), [&](const std::string& text) {
    check_valid(parse_fasta(text, "file", by), by);
  }));
}

TEST(fuzz, nucleotides) {
  fuzz_by(nuc44, {">one of them\nACGTNacgtn\nRYKMSWBDHV\n>two\nUUUU\n", ">a\r\nAC\r\n\r\n>b\r\nG",
                  "\n>\nA C\tG\n"});
}

TEST(fuzz, amino_acids) {
  fuzz_by(blosum62, {">sp|P1|X\nMKVLAT*\nWYQNBZX\n>2\nMUOJ", ">p\n*\n"});
}

}  // namespace
}  // namespace finesync::inputs
