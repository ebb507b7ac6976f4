// SPDX-License-Identifier: Apache-2.0
#include <bench/git_revision.hpp>
#include <bench/provenance.hpp>

#include <nlohmann/json.hpp>

#include <array>
#include <ctime>
#include <variant>

#include <unistd.h>

namespace finesync::bench {
namespace {

using json = nlohmann::ordered_json;

std::string host_name() {
  std::array<char, 256> name = {};
  return gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "unknown";
}

json describe(const gpu_properties& gpu, const parameters& card) {
  json all = {{"name", gpu.name},
              {"simulated", gpu.simulated},
              {"compute_capability", gpu.compute_capability},
              {"sms", gpu.sms},
              {"warp_size", gpu.warp_size},
              {"max_threads_per_sm", gpu.max_threads_per_sm},
              {"max_blocks_per_sm", gpu.max_blocks_per_sm},
              {"shared_bytes_per_sm", gpu.shared_bytes_per_sm},
              {"shared_bytes_per_block", gpu.shared_bytes_per_block},
              {"l2_bytes", gpu.l2_bytes},
              {"memory_bytes", gpu.memory_bytes},
              {"clock_khz", gpu.clock_khz},
              {"memory_clock_khz", gpu.memory_clock_khz},
              {"cuda_driver_api", gpu.driver},
              {"runtime", gpu.runtime}};
  all.update(to_json(card));
  return all;
}

}  // namespace

nlohmann::ordered_json to_json(const parameters& known) {
  json result = json::object();
  for (const auto& [name, value] : known)
    std::visit([&, key = &name](const auto& one) { result[*key] = one; }, value);
  return result;
}

std::string current_date() {
  const std::time_t now = std::time(nullptr);
  std::tm utc = {};
  gmtime_r(&now, &utc);
  std::array<char, 64> text = {};
  std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%S+00:00", &utc);
  return text.data();
}

nlohmann::ordered_json provenance(const run_facts& facts) {
  return {{"schema_version", 3},
          {"program", facts.program},
          {"command_line", facts.command_line},
          {"machine", facts.gpu.simulated ? "host executor" : "gpu"},
          {"machine_settings", facts.machine_settings},
          {"gpu", describe(facts.gpu, facts.card)},
          {"compiler", FINESYNC_COMPILER},
          {"cuda_compiler", FINESYNC_CUDA_COMPILER},
          {"cuda_toolkit", facts.gpu.runtime},
          {"build_type", FINESYNC_BUILD_TYPE},
          {"git_revision", git_revision},
          {"git_dirty", git_dirty},
          {"date", current_date()},
          {"host", host_name()},
          {"finesync_version", FINESYNC_VERSION}};
}

}  // namespace finesync::bench
