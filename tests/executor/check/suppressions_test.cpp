// Which findings a line of a file of suppressions concerns.
#include <check/suppressions.hpp>

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>
#include <vector>

#include <unistd.h>

namespace check_test {

namespace {

std::vector<check::suppression> read(const std::string& text) {
  const auto file =
      std::filesystem::temp_directory_path() / ("suppressions" + std::to_string(getpid()));
  std::ofstream(file) << text;
  return check::read_suppressions(file.string(), "/home/me");
}

/// Whether the line suppresses a race of these places.
bool suppresses(const std::string& line, const std::vector<std::string>& places) {
  std::vector<check::suppression> all = read(line + "\n");
  check::joined_report report;
  report.findings.emplace_back();
  report.findings[0].what.places = places;
  check::apply(all, report);
  EXPECT_EQ(all.at(0).is_used, !report.findings[0].suppressed_by.empty());
  return all[0].is_used;
}

TEST(suppressions, name_one_place_or_both) {
  const std::vector<std::string> places = {"src/sum.cu:12", "src/sum.cu:30"};
  EXPECT_TRUE(suppresses("sum.cu:12", places));
  EXPECT_TRUE(suppresses("src/sum.cu:30 # known", places));
  EXPECT_TRUE(suppresses("sum.cu:30 sum.cu:12", places));
  EXPECT_FALSE(suppresses("sum.cu:12 sum.cu:31", places));
  EXPECT_FALSE(suppresses("um.cu:12", places));
  EXPECT_FALSE(suppresses("sum.cu:1", places));
  EXPECT_FALSE(suppresses("sum.cu:12", {}));
}

TEST(suppressions, concern_all_findings_there_and_no_others) {
  std::vector<check::suppression> all = read("a.cu:1\nb.cu:2 # known\n");
  check::joined_report report;
  report.findings.resize(4);
  for (const std::size_t each : {0, 2}) report.findings[each].what.places = {"a.cu:1"};
  report.findings[3].what.places = {"b.cu:3"};
  check::apply(all, report);
  std::vector<std::string> by;
  for (const check::joined_finding& each : report.findings) by.push_back(each.suppressed_by);
  EXPECT_EQ(by, (std::vector<std::string>{"a.cu:1", "", "a.cu:1", ""}));
  EXPECT_TRUE(all[0].is_used);
  EXPECT_FALSE(all[1].is_used);
}

TEST(suppressions, may_have_comments_and_empty_lines) {
  EXPECT_EQ(read("\n# known faults\na.cu:1  # why\n\n").size(), 1u);
}

TEST(suppressions, name_a_file_in_any_way) {
  const std::string here = std::filesystem::current_path().string();
  EXPECT_TRUE(suppresses("/home/me/a/b.cu:1", {"a/b.cu:1"}));
  EXPECT_TRUE(suppresses("a/../a/b.cu:1", {"a/b.cu:1"}));
  EXPECT_TRUE(suppresses("./b.cu:1", {here + "/b.cu:1"}));
  EXPECT_TRUE(suppresses("../b.cu:1", {std::filesystem::path(here).parent_path() / "b.cu:1"}));
  EXPECT_TRUE(
      suppresses("\xef\xbb\xbf"
                 "b.cu:1",
                 {"a/b.cu:1"}));
  EXPECT_FALSE(suppresses("./b.cu:1", {"a/b.cu:1"}));
}

TEST(suppressions, that_are_none_are_refused_with_their_line) {
  try {
    read("a.cu:1\na.cu\n");
    FAIL();
  } catch (const std::runtime_error& problem) {
    EXPECT_NE(std::string(problem.what()).find(":2: 'a.cu' is not FILE:LINE"), std::string::npos);
  }
  for (const char* const wrong : {"a.cu:1:5", "a.cu:12345678901234567890", "a:1 b:2 c:3"})
    EXPECT_THROW(read(wrong), std::runtime_error) << wrong;
  EXPECT_THROW(check::read_suppressions("/no/such/file", ""), std::runtime_error);
}

}  // namespace

}  // namespace check_test
