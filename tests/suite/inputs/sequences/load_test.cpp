// Sequences by their names on the command line.
#include <inputs/sequences/load.hpp>
#include <inputs/sequences/scorings.hpp>

#include <gtest/gtest.h>
#include <tests/suite/inputs/error_of.hpp>
#include <tests/suite/inputs/scratch_folder.hpp>

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

}  // namespace
}  // namespace finesync::inputs
