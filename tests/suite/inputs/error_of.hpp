// The error message of a rejected input, and tables of wrong ones.
#pragma once

#include <inputs/input_error.hpp>

#include <gtest/gtest.h>

#include <ostream>
#include <regex>
#include <string>

namespace finesync::inputs {

/// The text of the input_error that `read` throws; "no error" if it throws none.
template <class Read>
std::string error_of(Read&& read) {
  try {
    read();
  } catch (const input_error& error) {
    return error.what();
  }
  return "no error";
}

struct wrong_file {
  std::string text;
  std::string error;  ///< after "file:"
};

inline void PrintTo(const wrong_file& file, std::ostream* out) {
  *out << testing::PrintToString(file.text);
}

inline std::string with_crlf(const std::string& text) {
  return std::regex_replace(text, std::regex("\n"), "\r\n");
}

}  // namespace finesync::inputs
