// SPDX-License-Identifier: Apache-2.0
// How finesync-check configures the runtime in a program that it runs: by the environment.
#pragma once

#include <ptx/launch.hpp>
#include <simt/settings.hpp>

#include <string>
#include <utility>
#include <vector>

namespace cudart {

struct run_settings {
  run_settings() { executor.gpu = simt::find_gpu_model("compact"); }

  simt::settings executor;  ///< GPU, schedule, memory, checks, seed
  ptx::volatile_access volatiles = ptx::volatile_access::relaxed;
  bool zeroed_memory = false;  ///< cudaMalloc gives zeros instead of garbage
  std::string report;          ///< the file that findings go to; empty: standard error
  std::string root;            ///< the folder of the sources; empty: the current one
};

/// The names of a choice's values, as in the options of finesync-check.
using schedule_names = std::vector<std::pair<std::string, simt::schedule_kind>>;
using memory_names = std::vector<std::pair<std::string, simt::memory_kind>>;
using check_names = std::vector<std::pair<std::string, simt::checking>>;
using volatile_names = std::vector<std::pair<std::string, ptx::volatile_access>>;
const schedule_names& schedules();
const memory_names& memories();
const check_names& checks();
const volatile_names& volatiles();

/// The environment's variables, and their values, that say this.
std::vector<std::pair<std::string, std::string>> as_environment(const run_settings& what);

/// What the environment says; what it does not say is at its default: races are checked in the
/// round-robin schedule. \throws std::invalid_argument naming the variable with an unknown value.
run_settings from_environment();

}  // namespace cudart
