// SPDX-License-Identifier: Apache-2.0
// Checks that the environment asks for, of a program that knows nothing of them.
#pragma once

#include "finesync/version.hpp"

#include <string>

namespace finesync::inline FINESYNC_ABI {
namespace detail {

/// A launch begins: counts it if its settings search for faults.
void note_launch();

/// In a run that FINESYNC_CHECK asked for, prints the report and ends the process with status 1;
/// otherwise returns.
void end_checked_run(const std::string& report);

}  // namespace detail
}  // namespace finesync::inline FINESYNC_ABI
