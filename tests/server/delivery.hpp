// One run of a server grid on a problem of which everything is drawn, and the search for a seed on
// which a request is not served exactly once.
#pragma once

#include "mail.cuh"

#include <finesync/device/buffer.cuh>
#include <finesync/device/error.cuh>
#include <finesync/device/watchdog.cuh>
#include <finesync/locks/ordered_spin_lock.cuh>
#include <finesync/server/server_grid.cuh>
#include <simt/settings.hpp>

#include <fmt/format.h>
#include <tests/locks/exploration.hpp>

#include <atomic>
#include <cstdint>
#include <mutex>
#include <string>
#include <vector>

namespace finesync::test {

struct errand {
  server_config config;
  unsigned threads_per_block;
  mail letters;

  std::uint32_t senders() const { return config.clients * threads_per_block; }
  std::uint32_t numbers() const { return senders() * letters.most; }
};

inline std::string describe(const errand& e) {
  return fmt::format(
      "servers {} clients {} ring {} buffer {} locks {} threads {} crowd {} most {} batch {} keys "
      "{} from "
      "{} "
      "by {}",
      e.config.servers, e.config.clients, e.config.ring, e.config.local_buffer, e.config.locks,
      e.threads_per_block, static_cast<int>(e.letters.senders), e.letters.most, e.letters.batch,
      e.letters.keys, e.letters.first_key, e.letters.key_step);
}

/// \returns what is wrong with the archive, or nothing.
template <bool WithNumbers>
std::string check(const errand& e, const std::vector<std::uint32_t>& count,
                  const std::vector<std::uint32_t>& head, const std::vector<std::uint32_t>& next,
                  std::uint32_t foreign) {
  if (foreign != 0) return fmt::format("{} requests that nobody sent", foreign);
  std::vector<std::uint32_t> sent_to(e.letters.keys, 0);
  std::vector<bool> sent(e.numbers(), false);
  for (std::uint32_t thread = 0; thread < e.senders(); ++thread) {
    for (std::uint32_t i = 0; i < e.letters.requests_of(thread); ++i) {
      const std::uint32_t number = e.letters.number_of(thread, i);
      sent[number] = true;
      ++sent_to[e.letters.key_index_of(number)];
    }
  }
  for (std::uint32_t key = 0; key < e.letters.keys; ++key) {
    if (count[key] != sent_to[key])
      return fmt::format("key {}: {} of {} requests", key, count[key], sent_to[key]);
    if constexpr (WithNumbers) {
      std::uint32_t length = 0;
      for (std::uint32_t entry = head[key]; entry != 0; entry = next[entry], ++length) {
        const std::uint32_t number = entry - 1;
        if (!sent[number]) return fmt::format("request {} came twice, or unsent", number);
        sent[number] = false;
      }
      if (length != sent_to[key]) return fmt::format("key {}: a list of {}", key, length);
    }
  }
  return "";
}

/// Runs the errand once, under the current settings. \returns what went wrong, or nothing.
/// \param longest_wait_ns after which the watchdog calls it a hang; far longer than all errands
/// take.
template <class Channel, class Execution, class Service>
std::string run(const errand& e, std::uint64_t longest_wait_ns = 1'000'000'000) {
  const auto zeroed = [](std::size_t count) {
    buffer<std::uint32_t> words(count);
    words.fill_bytes(0);
    return words;
  };
  using cells = cell<std::uint32_t>;
  const buffer<std::uint32_t> count = zeroed(e.letters.keys + 1);
  const buffer<std::uint32_t> head = zeroed(e.letters.keys + 1);
  const buffer<std::uint32_t> next = zeroed(e.numbers() + 1);
  const buffer<std::uint32_t> foreign = zeroed(1);
  server_pool<Channel, Execution> pool(e.config);
  const watchdog dog(longest_wait_ns);
  try {
    pool.launch(
        e.threads_per_block,
        Service(e.letters,
                {count.as<cells>(), head.as<cells>(), next.as<cells>(), foreign.as<cells>()},
                e.numbers()),
        senders<Service::words>{e.letters}, dog.ref(), no_probe{});
  } catch (const stuck_error& problem) {
    return problem.what();
  } catch (const race_error& problem) {
    return problem.what();
  }
  if (dog.fired()) return "the watchdog fired";
  return check<Service::words != 0>(e, count.to_host(), head.to_host(), next.to_host(),
                                    foreign.to_host()[0]);
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

using block_lock = ordered_spin_lock<scope::block>;

}  // namespace finesync::test
