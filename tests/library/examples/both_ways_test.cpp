// How many lines a section takes under locks and at servers (ASPLOS'19, sections 1 and 6): the
// lines of code between the marks of docs/library/examples/both_ways.cu; and whether the section
// itself is the same.
#include <gtest/gtest.h>
#include <tests/counted.hpp>

#include <algorithm>
#include <fstream>
#include <regex>
#include <string>
#include <vector>

namespace {

using text = std::vector<std::string>;

/// Lines that are not empty, after the line `begin` to the line `end`.
text lines_between(const std::string& begin, const std::string& end) {
  std::ifstream file(EXAMPLE);
  text lines;
  bool inside = false;
  for (std::string line; std::getline(file, line);) {
    if (line == end) inside = false;
    if (inside && !line.empty()) lines.push_back(line);
    inside = inside || line == begin;
  }
  return lines;
}

text lines_of(const std::string& name) {
  return lines_between("// " + name + " {", "// }");
}

/// The lines of the section that the code of that name runs: of the type that `use` finds in it.
text section_of(const std::string& name, const std::regex& use) {
  for (const std::string& line : lines_of(name)) {
    std::smatch found;
    if (std::regex_search(line, found, use))
      return lines_between("struct " + found.str(1) + " {", "};");
  }
  return {};
}

/// Lines that either has and the other has not.
std::size_t different(text one, text other) {
  std::sort(one.begin(), one.end());
  std::sort(other.begin(), other.end());
  text found;
  std::set_symmetric_difference(one.begin(), one.end(), other.begin(), other.end(),
                                std::back_inserter(found));
  return found.size();
}

TEST(both_ways, servers_take_less_than_twice_the_lines_of_locks) {
  const auto under_locks = static_cast<double>(lines_of("locks").size());
  const auto at_servers = static_cast<double>(lines_of("servers").size());
  ASSERT_GT(under_locks, 0);
  EXPECT_LT(at_servers, 2 * under_locks);
  finesync::test::record_count("A38", "lines at servers over lines under locks",
                               at_servers / under_locks);
}

TEST(both_ways, have_the_same_section) {
  const text under_locks = section_of("locks", std::regex(R"(run_exclusive\(.*, (\w+)\{)"));
  const text at_servers = section_of("servers", std::regex(R"(__device__ (\w+) operator\(\)\()"));
  ASSERT_FALSE(under_locks.empty());
  EXPECT_EQ(under_locks, at_servers);
  finesync::test::record_count("A38", "lines of the section that differ",
                               static_cast<double>(different(under_locks, at_servers)));
}

}  // namespace
