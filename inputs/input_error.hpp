// The exception for invalid inputs.
#pragma once

#include <fmt/format.h>

#include <cstddef>
#include <stdexcept>
#include <string>

namespace finesync::inputs {

/// Its text is one line: "FILE:LINE: problem", or "FILE: problem" if the problem is in no
/// particular line. Nothing has been loaded when it is thrown.
class input_error : public std::runtime_error {
 public:
  input_error(const std::string& file, const std::string& what)
      : std::runtime_error(fmt::format("{}: {}", file, what)) {}

  input_error(const std::string& file, std::size_t line, const std::string& what)
      : input_error(fmt::format("{}:{}", file, line), what) {
    line_ = line;
  }

  /// The line of the file, from 1; 0 if none.
  std::size_t line() const { return line_; }

 private:
  std::size_t line_ = 0;
};

}  // namespace finesync::inputs
