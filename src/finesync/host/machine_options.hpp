// SPDX-License-Identifier: Apache-2.0
// Settings and queries of the machine that runs a program's kernels. Plain C++.
#pragma once

#include "finesync/version.hpp"

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace finesync::inline FINESYNC_ABI {

/// A machine setting that a program offers on its command line as `--name VALUE`.
struct machine_option {
  std::string name;                             ///< without dashes: "gpu", "seed", "device"
  std::string help;                             ///< one line, values included
  std::string default_value;                    ///< value if the user gives none
  std::function<void(const std::string&)> set;  ///< throws std::invalid_argument with one line
};

/// The settings of this build's machine, in the order to show and apply them.
std::vector<machine_option> machine_options();

/// Device operations of the calling thread's last launch, by name ("rmw_device_global", "poll",
/// ...). Empty on a GPU, which does not count them.
std::map<std::string, double> last_launch_counts();

/// The longest wait of a thread before the watchdog ends the kernel; `--watchdog-ms` sets it.
std::uint64_t default_watchdog_ns();

#ifdef FINESYNC_HOST_EXECUTOR
/// Whether that limit is still the machine's own.
bool has_default_watchdog();
#endif

}  // namespace finesync::inline FINESYNC_ABI
