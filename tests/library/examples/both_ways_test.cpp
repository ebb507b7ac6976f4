// How many lines a section takes under locks and at servers (ASPLOS'19, sections 1 and 6): the
// lines of code between the marks of docs/library/examples/both_ways.cu.
#include <gtest/gtest.h>

#include <fstream>
#include <string>

namespace {

/// Lines that are not empty from "// NAME {" to "// }".
int lines_of(const std::string& name) {
  std::ifstream file(EXAMPLE);
  int lines = 0;
  bool inside = false;
  for (std::string line; std::getline(file, line);) {
    if (line == "// }") inside = false;
    lines += inside && !line.empty() ? 1 : 0;
    inside = inside || line == "// " + name + " {";
  }
  return lines;
}

// The ledger of claims names the number.
TEST(both_ways, servers_take_less_than_twice_the_lines_of_locks) {
  ASSERT_GT(lines_of("locks"), 0);
  EXPECT_NEAR(static_cast<double>(lines_of("servers")) / lines_of("locks"), 1.9, 0.05);
}

}  // namespace
