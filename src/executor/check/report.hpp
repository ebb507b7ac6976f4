// SPDX-License-Identifier: Apache-2.0
// The report in three forms: for people, for programs, and for code hosts.
#pragma once

#include <check/joined.hpp>
#include <check/suppressions.hpp>

#include <string>
#include <vector>

namespace check {

struct report_parts {
  const request& asked;
  const std::vector<finished_run>& runs;
  const joined_report& report;
  const std::vector<suppression>& suppressions;
};

/// "sum.cu:12: error: data-race with sum.cu:15 in kernel sum"
std::string title_of(const cudart::finding& what);

/// The command line that shows the run again, for a shell.
std::string again_text(const request& asked, const finished_run& run);

/// Like a compiler's messages: "sum.cu:12: error: data race with ...".
std::string as_text(const report_parts& all);

/// Everything, as docs/check/check.md says.
std::string as_json(const report_parts& all);

/// SARIF 2.1.0 (https://docs.oasis-open.org/sarif/sarif/v2.1.0/): a result per finding, at its
/// places; what is suppressed is marked. Code hosts want a place for each: it is the program, if
/// none is known.
std::string as_sarif(const report_parts& all);

/// What holds for every finding: the GPU, the memory, and what volatile was taken for.
std::string settings_text(const request& asked);

}  // namespace check
