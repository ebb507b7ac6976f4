// The search for a seed on which a request is not served exactly once.
#pragma once

#include "errand.hpp"

#include <simt/settings.hpp>

#include <fmt/format.h>
#include <tests/locks/exploration.hpp>

#include <cstdint>
#include <string>

namespace finesync::test {

inline std::string describe(const errand& e) {
  return fmt::format(
      "servers {} clients {} ring {} buffer {} locks {} threads {} senders {} most {} batch {} "
      "keys "
      "{} from "
      "{} "
      "by {}",
      e.config.servers, e.config.clients, e.config.ring, e.config.local_buffer, e.config.locks,
      e.threads_per_block, static_cast<int>(e.letters.senders), e.letters.most, e.letters.batch,
      e.letters.keys, e.letters.first_key, e.letters.key_step);
}

/// Explores `seeds` random schedules with `errand_of(number)`, run by `run_errand(errand, number)`;
/// the numbers are different ones in strong and in weak memory.
/// \returns what went wrong on the first seed that failed; nothing when nothing did.
template <class ErrandOf, class Run>
std::string explore(simt::memory_kind memory, unsigned seeds, ErrandOf errand_of, Run run_errand) {
  return first_complaint(memory, seeds, [&]() -> std::string {
    simt::settings how = simt::current_settings();
    how.gpu = simt::find_gpu_model("h200");  // where all errands fit
    const simt::scoped_settings scoped(how);
    const bool weak = how.memory == simt::memory_kind::weak;
    const auto number = static_cast<std::uint32_t>(2 * how.seed + (weak ? 1 : 0));
    const errand e = errand_of(number);
    const std::string complaint = run_errand(e, number);
    if (complaint.empty()) return {};
    return fmt::format("seed {}: {}: {}", how.seed, describe(e), complaint);
  });
}

}  // namespace finesync::test
