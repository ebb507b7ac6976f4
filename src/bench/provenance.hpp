// SPDX-License-Identifier: Apache-2.0
// The provenance of a result: program, build, source revision, machine, date.
#pragma once

#include <bench/experiment.hpp>
#include <finesync/host/gpu.cuh>

#include <nlohmann/json_fwd.hpp>

#include <map>
#include <string>
#include <vector>

namespace finesync::bench {

/// Now, in UTC: "2026-01-31T12:00:00+00:00".
std::string current_date();

/// Facts about this process's run.
struct run_facts {
  std::string program;
  std::vector<std::string> command_line;                ///< argv[0] included
  std::map<std::string, std::string> machine_settings;  ///< in effect, defaults included
  gpu_properties gpu;
  parameters card = {};  ///< from gpu_monitor::card(); or unmonitored: why there is no monitor
};

nlohmann::ordered_json to_json(const parameters& known);

/// The "finesync" part of a results file's context; schema_version counts its changes.
nlohmann::ordered_json provenance(const run_facts& facts);

}  // namespace finesync::bench
