// The search for a seed on which a request is not served exactly once.
#pragma once

#include "server_scenario.hpp"

#include <fmt/format.h>
#include <tests/library/harness/harness.hpp>

namespace finesync::test {

inline std::string describe(const server_scenario& e) {
  return fmt::format(
      "servers {} clients {} ring {} buffer {} locks {} threads {} senders {} most {} batch {} "
      "keys "
      "{} from "
      "{} "
      "by {}",
      e.config.servers, e.config.clients, e.config.ring, e.config.local_buffer, e.config.locks,
      e.threads_per_block, static_cast<int>(e.messages.senders), e.messages.most, e.messages.batch,
      e.messages.keys, e.messages.first_key, e.messages.key_step);
}

/// Explores `seeds` random schedules with `scenario_of(number)`, run by `run_scenario(scenario,
/// number)`. The numbers differ between strong and weak memory. \returns the error of the first
/// failing seed, or nothing.
template <class ScenarioOf, class Run>
std::string explore(simt::memory_kind memory, unsigned seeds, ScenarioOf scenario_of,
                    Run run_scenario) {
  return first_complaint(memory, seeds, [&]() -> std::string {
    simt::settings how = simt::current_settings();
    how.gpu = simt::find_gpu_model("h200");  // all scenarios fit on it
    const simt::scoped_settings scoped(how);
    const bool in_weak_memory = how.memory == weak;
    const auto number = static_cast<std::uint32_t>(2 * how.seed + (in_weak_memory ? 1 : 0));
    const server_scenario e = scenario_of(number);
    const std::string complaint = run_scenario(e, number);
    if (complaint.empty()) return {};
    return fmt::format("seed {}: {}: {}", how.seed, describe(e), complaint);
  });
}

}  // namespace finesync::test
