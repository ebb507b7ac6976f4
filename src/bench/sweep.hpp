// SPDX-License-Identifier: Apache-2.0
// Runs a list of points under Google Benchmark, with the reporters that the flags request.
#pragma once

#include <bench/command_line.hpp>
#include <bench/google_flags.hpp>
#include <bench/machine_interface.hpp>
#include <bench/provenance.hpp>
#include <bench/results_file.hpp>
#include <bench/tuning.hpp>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace finesync::bench {

/// All decisions before the first run. References outlive the sweep.
struct sweep {
  const declaration& declared;
  const std::vector<untuned_point>& points;  ///< at least one
  bool tune;                                 ///< choose the open axes
  const machine_interface& machine;
  const google_flags& flags;  ///< initialized
  const std::optional<results_file>& results;
  gpu_monitor* monitor;  ///< null if there is none
  run_facts facts;
};

/// Runs all points and completes the results file.
/// \returns the exit status that program::run documents
/// \throws usage_error when the results cannot be written
int run_sweep(const sweep& asked);

/// Writes "PROGRAM: error: MESSAGE" to stderr, always as one line.
void print_error(std::string_view program, std::string message);

}  // namespace finesync::bench
