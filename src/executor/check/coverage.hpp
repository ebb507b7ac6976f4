// SPDX-License-Identifier: Apache-2.0
// What has run of the kernels, over all runs and processes, and which instructions are not a GPU's.
#pragma once

#include <check/runs.hpp>

#include <map>
#include <string>
#include <vector>

namespace check {

struct joined_coverage {
  std::size_t accesses = 0, accesses_run = 0;
  std::size_t barriers = 0, barriers_run = 0;
  std::vector<std::string> not_run;  ///< "file.cu:12" of such a site, once each, sorted
  /// By their opcodes; with what they reach, which is empty if that is neither an address nor a
  /// branch, as far as registers tell.
  std::map<std::string, std::string> approximate;
  std::vector<std::string> skipped;  ///< hints, sorted
};
joined_coverage coverage_of(const std::vector<finished_run>& runs);

/// Two lines.
std::string text_of(const joined_coverage& all);

}  // namespace check
