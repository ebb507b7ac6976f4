// Whatever bytes a reader is given, it says in one line what is wrong, or what it returns is a
// valid matrix. FINESYNC_FUZZ_BYTES is how many bytes each reader is given, a million by default.
#include "error_of.hpp"
#include "scratch_folder.hpp"

#include <inputs/ratings/cache.hpp>
#include <inputs/ratings/generate.hpp>
#include <inputs/ratings/text_formats.hpp>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <random>

namespace finesync::inputs {
namespace {

std::size_t byte_budget() {
  const char* const given = std::getenv("FINESYNC_FUZZ_BYTES");
  return given == nullptr ? 1'000'000 : std::stoul(given);
}

// Changes a valid text a little, or replaces it.
class mutator {
 public:
  std::string operator()(std::string text) {
    if (below(8) == 0) return random_bytes(below(200));
    for (std::size_t changes = 1 + below(4); changes != 0; --changes) change(text);
    return text;
  }

 private:
  std::size_t below(std::size_t bound) { return bound == 0 ? 0 : random_() % bound; }

  std::string random_bytes(std::size_t count) {
    std::string bytes(count, '\0');
    std::ranges::generate(bytes, [&] { return static_cast<char>(below(256)); });
    return bytes;
  }

  void change(std::string& text) {
    static const std::vector<std::string> pieces{
        "-",        "+",          ".",    "e",    ":",          "::",
        " ",        "\n",         "\r\n", "\r",   "\t",         "%",
        "nan",      "-inf",       "0",    "1",    "9",          "e999",
        "1e39",     "4294967295", "\0",   "\xff", "4294967296", "18446744073709551616",
        "% 3 1 1\n"};
    const std::size_t at = below(text.size());
    switch (below(6)) {
      case 0:
        return text.resize(at);
      case 1:
        return void(text.erase(at, 1 + below(8)));
      case 2:
        return void(text.insert(at, pieces[below(pieces.size())]));
      case 3:
        return void(text.replace(at, 1, pieces[below(pieces.size())]));
      case 4:
        return void(text.insert(at, text.substr(below(text.size()), below(40))));
      default:
        if (!text.empty()) text[at] = static_cast<char>(below(256));
    }
  }

  std::mt19937 random_{2019};
};

void check_valid(const ratings& read) {
  ASSERT_FALSE(read.entries.empty());
  for (const rating& each : read.entries) {
    ASSERT_LT(each.left, read.lefts);
    ASSERT_LT(each.right, read.rights);
    ASSERT_TRUE(std::isfinite(each.value));
  }
}

// Counted, so that a fuzzer that only ever meets one of both is noticed.
struct outcomes {
  std::size_t valid = 0;
  std::size_t refused = 0;
};

template <class Read>
outcomes fuzz(const std::vector<std::string>& valid, Read&& read) {
  mutator mutated;
  outcomes met;
  for (std::size_t given = 0, i = 0; given < byte_budget(); ++i) {
    const std::string text = mutated(valid[i % valid.size()]);
    given += text.size() + 1;
    const std::string error = error_of([&] { check_valid(read(text)); });
    if (testing::Test::HasFatalFailure()) {
      ADD_FAILURE() << "of " << testing::PrintToString(text);
      break;
    }
    if (error == "no error") {
      ++met.valid;
      continue;
    }
    ++met.refused;
    EXPECT_TRUE(error.starts_with("file:")) << error;
    EXPECT_TRUE(std::ranges::all_of(error, [](char c) { return c >= ' ' && c <= '~'; })) << error;
  }
  return met;
}

void expect_both(const outcomes& met) {
  EXPECT_GT(met.valid, 0u);
  EXPECT_GT(met.refused, met.valid / 10);
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
  const auto read = [](const std::string& bytes) { return parse_cache(bytes, "file").all; };
  const outcomes met = fuzz({valid}, read);
  // A piece that was put in may be what was there, and never anything else.
  EXPECT_GT(met.refused, 99 * met.valid);
}

}  // namespace
}  // namespace finesync::inputs
