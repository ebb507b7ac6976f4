// SPDX-License-Identifier: Apache-2.0
// A child process with its own environment, an empty input, and a limit of time.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace check {

struct process_end {
  bool is_signal = false;    ///< ended by a signal
  bool out_of_time = false;  ///< killed here
  int code = 0;              ///< exit status, or the signal
};

using environment = std::vector<std::pair<std::string, std::string>>;

/// Runs the command to its end, or kills it after this time. The command is looked for in PATH.
/// \param added variables that the child has besides those of this process, or instead.
/// \param shows_output else its standard output and error go nowhere.
/// \throws std::runtime_error if it cannot be started.
process_end run_process(const std::vector<std::string>& command, const environment& added,
                        bool shows_output, unsigned seconds);

/// From now on SIGINT and SIGTERM end the child instead of this process.
void pass_signals_to_child();

/// Whether one has come.
bool was_interrupted();

}  // namespace check
