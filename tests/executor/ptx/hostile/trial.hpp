// What is done with one hostile input: as finesync-check would do.
#pragma once

#include <tests/executor/ptx/hostile/mutation.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace ptx_hostile {

enum class outcome : std::uint8_t {
  refused,   ///< it is no PTX, or no fat binary
  reported,  ///< a launch ended with a report
  ran,       ///< all launches came to their ends
};
inline constexpr std::size_t outcomes = 3;

/// The inputs, by their numbers.
class trials {
 public:
  trials();

  /// Reads the input, and runs its kernels with a block or two. Any harm ends the process.
  outcome attempt(std::uint64_t number) const;

  /// The text of the input; of a fat binary, the text that it was made of.
  std::string text_of(std::uint64_t number) const;

 private:
  std::string made(std::uint64_t number, dice& random) const;

  std::vector<std::string> modules_;
  std::vector<std::string> instructions_;
  mutator change_;
};

}  // namespace ptx_hostile
