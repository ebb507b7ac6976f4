// The search for a seed on which a request is not served exactly once.
#pragma once

#include "errand.hpp"

#include <simt/settings.hpp>

#include <fmt/format.h>
#include <tests/locks/exploration.hpp>

#include <atomic>
#include <cstdint>
#include <mutex>
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
/// the numbers are different ones in strong and in weak memory. Ends early after a few complaints,
/// as each may be a hang, which takes long.
/// \returns what went wrong on some of the seeds, a line each; nothing when nothing did.
template <class ErrandOf, class Run>
std::string explore(simt::memory_kind memory, unsigned seeds, ErrandOf errand_of, Run run_errand) {
  constexpr unsigned enough = 4;
  std::mutex one_at_a_time;
  std::atomic<unsigned> complaints = 0;
  std::string report;
  failing_seeds(memory, seeds, [&] {
    if (complaints >= enough) return true;
    simt::settings how = simt::current_settings();
    how.gpu = simt::find_gpu_model("h200");  // where all errands fit
    const simt::scoped_settings scoped(how);
    const bool weak = how.memory == simt::memory_kind::weak;
    const auto number = static_cast<std::uint32_t>(2 * how.seed + (weak ? 1 : 0));
    const errand e = errand_of(number);
    const std::string complaint = run_errand(e, number);
    if (complaint.empty()) return true;
    ++complaints;
    const std::scoped_lock lock(one_at_a_time);
    report += fmt::format("seed {}: {}: {}\n", how.seed, describe(e), complaint);
    return false;
  });
  return report;
}

}  // namespace finesync::test
