#include <bench/axis.hpp>
#include <bench/usage_error.hpp>

#include <gtest/gtest.h>

#include <stdexcept>

namespace {

using namespace finesync::bench;

const axis factor = {.name = "collision-factor",
                     .help = "threads per lock",
                     .values = {256},
                     .min = -8,
                     .max = 2 * 1024 * 1024};

std::string refusal_of(const axis& which, const std::string& text) {
  try {
    parse_values(which, text);
  } catch (const usage_error& problem) {
    return problem.what();
  }
  return "accepted";
}

std::string refusal(const std::string& text) {
  return refusal_of(factor, text);
}

TEST(axis, reads_lists_in_the_order_given) {
  EXPECT_EQ(parse_values(factor, "256,1,1024"), (std::vector<long long>{256, 1, 1024}));
  EXPECT_EQ(parse_values(factor, "-5"), (std::vector<long long>{-5}));
}

TEST(axis, suffixes_are_powers_of_two) {
  EXPECT_EQ(parse_values(factor, "4K,2M"), (std::vector<long long>{4096, 2097152}));
}

TEST(axis, both_ends_of_the_range_belong_to_it) {
  EXPECT_EQ(parse_values(factor, "-8,2097152"), (std::vector<long long>{-8, 2097152}));
}

TEST(axis, refuses_what_is_not_a_number) {
  for (const char* text :
       {"", "x", "1x", "0x10", "1.5", "1e3", " 1", "1 ", "+1", "K", "1k", "1KK", "--1"})
    EXPECT_NE(refusal(text).find("is not a number"), std::string::npos) << text << refusal(text);
}

TEST(axis, refuses_a_list_with_a_comma_too_many) {
  for (const std::string text : {",", "1,", ",1", "1,,2"})
    EXPECT_EQ(refusal(text), "--collision-factor: there is a comma too many in '" + text + "'");
}

TEST(axis, refuses_values_out_of_range_and_says_the_range) {
  EXPECT_EQ(refusal("1,-9"), "--collision-factor: -9 is out of range, allowed are -8 to 2097152");
  EXPECT_EQ(refusal("2097153"),
            "--collision-factor: 2097153 is out of range, allowed are -8 to 2097152");
}

TEST(axis, refuses_numbers_that_overflow) {
  EXPECT_EQ(refusal("99999999999999999999"),
            "--collision-factor: '99999999999999999999' is too large");
  EXPECT_EQ(refusal("9223372036854775807M"),
            "--collision-factor: '9223372036854775807M' is too large");
}

const axis section = named_axis("section", "what is done", {"push", "empty"});
const axis ring = {.name = "ring", .values = {0}, .max = 64, .names = {"auto"}};

TEST(axis, values_may_have_names) {
  EXPECT_EQ(parse_values(section, "empty,push"), (std::vector<long long>{1, 0}));
  EXPECT_EQ(parse_values(ring, "auto,64"), (std::vector<long long>{0, 64}));
  EXPECT_EQ(section.values, (std::vector<long long>{0}));
  EXPECT_EQ(named_axis("on", "", {"no", "yes"}, 1).values, (std::vector<long long>{1}));
}

TEST(axis, a_value_with_a_name_has_no_number) {
  EXPECT_EQ(refusal_of(section, "1"), "--section: '1' is not push, empty");
  EXPECT_EQ(refusal_of(section, "pop"), "--section: 'pop' is not push, empty");
  EXPECT_EQ(refusal_of(section, "empty,empty"), "--section: empty is given twice");
  EXPECT_EQ(refusal_of(ring, "0"), "--ring: 0 is written 'auto'");
  EXPECT_EQ(refusal_of(ring, "65"), "--ring: 65 is out of range, allowed are auto, or 1 to 64");
  EXPECT_EQ(refusal_of(ring, "own"), "--ring: 'own' is not a number");
}

TEST(axis, says_its_range) {
  EXPECT_EQ(range_of(section), "push, empty");
  EXPECT_EQ(range_of(ring), "auto, or 1 to 64");
  EXPECT_EQ(range_of(factor), "-8 to 2097152");
  EXPECT_EQ(range_of({.name = "n", .min = 1}), "1 or more");
}

TEST(axis, refuses_duplicates_however_written) {
  EXPECT_EQ(refusal("1024,1K"), "--collision-factor: 1024 is given twice");
}

TEST(axis, identifier_uses_underscores) {
  EXPECT_EQ(identifier("tbs-per-sm"), "tbs_per_sm");
}

TEST(axis, tuning_starts_from_the_default_and_tries_nothing_twice) {
  EXPECT_EQ(tuning_values({.name = "n", .values = {4, 9}, .candidates = {1, 2, 4, 8}}),
            (std::vector<long long>{4, 1, 2, 8}));
  EXPECT_EQ(tuning_values(factor), (std::vector<long long>{256}));
}

TEST(axis, declarations_are_checked) {
  EXPECT_NO_THROW(check_declaration(factor));
  const auto unusable = [](axis declared) {
    EXPECT_THROW(check_declaration(declared), std::invalid_argument) << declared.name;
  };
  unusable({.name = "", .values = {1}});
  unusable({.name = "-n", .values = {1}});
  unusable({.name = "N", .values = {1}});
  unusable({.name = "n_x", .values = {1}});
  unusable({.name = "no-defaults"});
  unusable({.name = "below", .values = {0}, .min = 1});
  unusable({.name = "above", .values = {3}, .max = 2});
  unusable({.name = "twice", .values = {1, 1}});
  unusable({.name = "candidate-above", .values = {1}, .max = 2, .candidates = {2, 3}});
  unusable({.name = "names-alike", .values = {0}, .names = {"a", "a"}});
  unusable({.name = "name-is-number", .values = {0}, .names = {"1st"}});
  unusable({.name = "name-with-comma", .values = {0}, .names = {"a,b"}});
  unusable({.name = "candidate-twice", .values = {1}, .candidates = {2, 2}});
}

TEST(axis, a_value_may_have_decimals_and_a_name) {
  std::vector<std::string> names = {"even"};
  for (int i = 1; i <= 150; ++i) names.push_back("s-" + std::to_string(i));
  axis skew = named_axis("skew", "how uneven", names);
  skew.decimals = 2;
  EXPECT_EQ(parse_values(skew, "0.9,s-80,even,1.5,1,.07,0.990"),
            (std::vector<long long>{90, 80, 0, 150, 100, 7, 99}));
  EXPECT_EQ(parse_values(skew, "0"), (std::vector<long long>{0}));
  for (const char* wrong :
       {"1.51", "0.905", "-0.5", "", ".", "0.9x", "1e-1", "s-151", "0,9,", "0.5.1"})
    EXPECT_THROW(parse_values(skew, wrong), usage_error) << wrong;
  EXPECT_EQ(range_of(skew),
            "a number from 0 to 1.5 with up to 2 decimals, in results even to s-150");
}

}  // namespace
