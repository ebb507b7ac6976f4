// The few things a program may set or ask about the machine that runs its kernels. Plain C++.
#pragma once

#include "finesync/version.hpp"

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace finesync {
inline namespace FINESYNC_ABI {

/// One machine setting that a program offers on its command line as `--name VALUE`.
struct machine_option {
  std::string name;           ///< without dashes: "gpu", "seed", "device"
  std::string help;           ///< one line, values included
  std::string default_value;  ///< what holds when the user says nothing
  std::function<void(const std::string&)>
      set;  ///< throws std::invalid_argument with one clear line
};

/// The settings of this build's machine, in the order in which to show and apply them.
std::vector<machine_option> machine_options();

/// Device operations of the calling thread's last launch, by name ("rmw_device_global", "poll",
/// ...). Empty on a GPU, where nothing counts them.
std::map<std::string, double> last_launch_counts();

/// How long a thread may wait before the watchdog ends the kernel; `--watchdog-ms` sets it.
std::uint64_t default_watchdog_ns();

}  // namespace FINESYNC_ABI
}  // namespace finesync
