// SPDX-License-Identifier: Apache-2.0
// What FINESYNC_CHECK and its companions in the environment ask for.
#pragma once

#include "finesync/version.hpp"

#include <simt/settings.hpp>

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace finesync::inline FINESYNC_ABI {
namespace detail {

/// One run of a program: what to look for, on the random schedule of a seed.
struct check_run {
  std::string mode;  ///< "races", or "weak": weak memory
  std::uint64_t seed = 1;

  /// As the settings of each launch, on this GPU.
  simt::settings settings_on(const simt::gpu_model& gpu) const;

  bool operator==(const check_run&) const = default;
};

/// Runs of one program: in each mode, with the seeds from first to last.
struct check_plan {
  std::vector<std::string> modes;
  std::uint64_t first = 1;
  std::uint64_t last = 1;

  /// 0: the program is to run as it is.
  std::uint64_t runs() const { return modes.size() * (last - first + 1); }
  /// In the order of the seeds.
  check_run run(std::uint64_t number) const {
    return {modes[number % modes.size()], first + number / modes.size()};
  }
};

/// Looks up a variable: empty if it is not set.
using environment = std::function<std::string(const char*)>;

/// FINESYNC_CHECK (races, weak, or races,weak) with FINESYNC_SEEDS (how many: 100), or with
/// FINESYNC_SEED (which one). \throws std::invalid_argument, with one line.
check_plan plan_of(const environment& variable);

/// FINESYNC_GPU, or the default. \throws std::invalid_argument, with the names that are known.
simt::gpu_model gpu_to_imitate(const environment& variable);

}  // namespace detail
}  // namespace finesync::inline FINESYNC_ABI
