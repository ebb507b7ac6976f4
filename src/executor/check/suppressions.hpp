// SPDX-License-Identifier: Apache-2.0
// A file of findings that are known and accepted.
#pragma once

#include <check/joined.hpp>

#include <string>
#include <vector>

namespace check {

/// A line "file.cu:12 # why": every finding that names this place; or of two places
/// "file.cu:12 file.cu:30": every finding that names both.
struct suppression {
  std::vector<std::string> places;  ///< a path may have folders before it in a finding
  std::string line;                 ///< as in the file
  bool is_used = false;
};

/// Paths may be relative to the root of the sources or, with ".", to the current folder; or
/// absolute. Empty lines and comments are left out. \throws std::runtime_error with the file's name
/// and the line's number for what is no list of places, or if it cannot be read.
std::vector<suppression> read_suppressions(const std::string& file, const std::string& root);

/// Whether one of them concerns it.
bool is_suppressed(const std::vector<suppression>& all, const cudart::finding& what);

/// Marks the findings that they concern, and those of them that concern one.
void apply(std::vector<suppression>& all, joined_report& report);

}  // namespace check
