// SPDX-License-Identifier: Apache-2.0
// The command line.
#pragma once

#include <check/runs.hpp>

#include <optional>
#include <string>

namespace check {

struct options {
  request asked;
  std::string suppressions;  ///< a file; empty: none
  std::string json;          ///< files for reports; empty: none
  std::string sarif;
};

/// Prints help, or what is wrong. \returns nothing if the tool is to end with `status`.
std::optional<options> parse(int argc, char** argv, int& status);

}  // namespace check
