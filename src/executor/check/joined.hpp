// SPDX-License-Identifier: Apache-2.0
// The findings of all runs, each once, and what the runs as a whole say.
#pragma once

#include <check/runs.hpp>

#include <string>
#include <vector>

namespace check {

struct joined_finding {
  cudart::finding what;        ///< as the first run that had it reported it
  std::vector<unsigned> runs;  ///< numbers of those that had it, from 1
  std::string suppressed_by;   ///< the line of the file of suppressions; empty: none
};

struct joined_report {
  std::vector<joined_finding> findings;  ///< in the order in which they were found
  std::vector<std::string> kernels;      ///< all that were launched, sorted
  std::vector<std::string> unchecked;    ///< sentences: what kept the check from being whole
};

/// Joins equal findings. Adds one if the program's status depends on the schedule, or is a failure
/// in all runs, without a finding that explains it.
joined_report joined(const request& asked, const std::vector<finished_run>& runs);

/// Options that repeat the run as the only one: "--schedule random --seed 3".
std::string options_of(const finished_run& run);

/// "run 3 (random, seed 2)"
std::string name_of(unsigned number, const finished_run& run);

/// What the tool's exit status says.
enum class verdict { nothing_found = 0, found = 1, not_checked = 2 };
verdict verdict_of(const joined_report& report);

}  // namespace check
