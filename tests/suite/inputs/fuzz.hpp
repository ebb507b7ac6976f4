// Mutated inputs. FINESYNC_FUZZ_BYTES is the number of bytes for each reader, a million by default.
#pragma once

#include <gtest/gtest.h>
#include <tests/suite/inputs/error_of.hpp>

#include <algorithm>
#include <cstdlib>
#include <random>
#include <string>
#include <vector>

namespace finesync::inputs {

inline std::size_t byte_budget() {
  const char* const given = std::getenv("FINESYNC_FUZZ_BYTES");
  return given == nullptr ? 1'000'000 : std::stoul(given);
}

/// Changes a valid text a little, or replaces it, with the given `pieces`.
class mutator {
 public:
  explicit mutator(std::vector<std::string> pieces) : pieces_(std::move(pieces)) {}

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
    const std::size_t at = below(text.size());
    switch (below(6)) {
      case 0:
        return text.resize(at);
      case 1:
        return void(text.erase(at, 1 + below(8)));
      case 2:
        return void(text.insert(at, pieces_[below(pieces_.size())]));
      case 3:
        return void(text.replace(at, 1, pieces_[below(pieces_.size())]));
      case 4:
        return void(text.insert(at, text.substr(below(text.size()), below(40))));
      default:
        if (!text.empty()) text[at] = static_cast<char>(below(256));
    }
  }

  std::vector<std::string> pieces_;
  std::mt19937 random_{2019};
};

/// Counted to detect a fuzzer that produces only one of both.
struct outcomes {
  std::size_t valid = 0;
  std::size_t refused = 0;
};

/// Gives `read_and_check` mutations of the valid texts. It must assert that the data read are
/// valid, or throw an input_error of one printable line that begins with "file:".
template <class ReadAndCheck>
outcomes fuzz(const std::vector<std::string>& valid, mutator mutated,
              ReadAndCheck&& read_and_check) {
  outcomes met;
  for (std::size_t given = 0, i = 0; given < byte_budget(); ++i) {
    const std::string text = mutated(valid[i % valid.size()]);
    given += text.size() + 1;
    const std::string error = error_of([&] { read_and_check(text); });
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

inline void expect_both(const outcomes& met) {
  EXPECT_GT(met.valid, 0u);
  EXPECT_GT(met.refused, met.valid / 10);
}

}  // namespace finesync::inputs
