// Outcomes of the workloads' runs.
#pragma once

#include <bench/experiment.hpp>
#include <finesync/host/wait_report.hpp>

#include <cstdint>
#include <optional>
#include <string>

namespace finesync::workload {

/// Outcome of a run in which the watchdog ended this wait. \param done operations that the kernel
/// had completed, if known.
bench::outcome timed_out(const wait_report& wait, std::optional<std::uint64_t> done = {});

/// ok if `right`, else wrong with this reason.
inline bench::outcome wrong_unless(bool right, const std::string& reason) {
  if (right) return {};
  return {bench::status::wrong, reason};
}

/// For what a kernel reports of itself, which no result shows: it may not have been written.
/// \throws bench::failed_run, of a wrong run, unless `is_plausible`.
inline void expect_plausible(bool is_plausible, const std::string& what_is_not) {
  bench::expect_ok(
      wrong_unless(is_plausible, "what the kernel measured cannot be: " + what_is_not));
}

}  // namespace finesync::workload
