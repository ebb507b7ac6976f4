// One run of a server grid on a fully variable problem, on either machine.
#pragma once

#include "test_messages.cuh"

#include <finesync/locks/tas_lock.cuh>
#include <finesync/server/server_pool.cuh>

#include <tests/library/harness/run.hpp>

namespace finesync::test {

struct server_scenario {
  server_config config;
  unsigned threads_per_block;
  test_messages messages;

  /// One whose messages are of the threads of its blocks.
  static constexpr server_scenario of(const server_config& config, unsigned threads_per_block,
                                      const test_messages& messages) {
    server_scenario e{config, threads_per_block, messages};
    e.messages.threads_per_block = threads_per_block;
    return e;
  }

  std::uint32_t senders() const { return config.clients * threads_per_block; }
  std::uint32_t numbers() const { return senders() * messages.most; }
};

/// \returns the error in the received_messages, or nothing.
template <bool WithNumbers>
std::string check(const server_scenario& e, const std::vector<std::uint32_t>& count,
                  const std::vector<std::uint32_t>& head, const std::vector<std::uint32_t>& next,
                  std::uint32_t foreign) {
  if (foreign != 0) return std::to_string(foreign) + " requests that nobody sent";
  std::vector<std::uint32_t> sent_to(e.messages.keys, 0);
  std::vector<bool> sent(e.numbers(), false);
  for (std::uint32_t thread = 0; thread < e.senders(); ++thread) {
    for (std::uint32_t i = 0; i < e.messages.requests_of(thread); ++i) {
      const std::uint32_t number = e.messages.number_of(thread, i);
      sent[number] = true;
      ++sent_to[e.messages.key_index_of(number)];
    }
  }
  for (std::uint32_t key = 0; key < e.messages.keys; ++key) {
    const std::string who = "key " + std::to_string(key) + ": ";
    if (count[key] != sent_to[key]) {
      return who + std::to_string(count[key]) + " of " + std::to_string(sent_to[key]) + " requests";
    }
    if constexpr (WithNumbers) {
      std::uint32_t length = 0;
      for (std::uint32_t entry = head[key]; entry != 0; entry = next[entry], ++length) {
        const std::uint32_t number = entry - 1;
        if (number >= e.numbers() || !sent[number])
          return "request " + std::to_string(number) + " came twice, or unsent";
        sent[number] = false;
      }
      if (length != sent_to[key]) return who + "a list of " + std::to_string(length);
    }
  }
  return "";
}

/// Runs the scenario once, under the current settings. \returns the error, or nothing.
/// \param longest_wait_ns limit of the watchdog, far longer than any scenario.
template <class Channel, class Execution, class Service, class Partition = modulo_partition>
std::string run(const server_scenario& e, std::uint64_t longest_wait_ns = 1'000'000'000) {
  const buffer<std::uint32_t> count = zeroed(e.messages.keys + 1);
  const buffer<std::uint32_t> head = zeroed(e.messages.keys + 1);
  const buffer<std::uint32_t> next = zeroed(e.numbers() + 1);
  const buffer<std::uint32_t> foreign = zeroed(1);
  server_pool<Channel, Execution, Partition> pool(e.config);
  const watchdog timeout(longest_wait_ns);
  const std::string complaint = complaint_about_launch(timeout, [&] {
    pool.launch(e.threads_per_block,
                Service(e.messages,
                        {count.device_data(), head.device_data(), next.device_data(),
                         foreign.device_data()},
                        e.numbers()),
                senders<Service::words>{e.messages}, timeout.ref(), no_observer{});
  });
  if (!complaint.empty()) return complaint;
  return check<Service::words != 0>(e, count.to_host(), head.to_host(), next.to_host(),
                                    foreign.to_host()[0]);
}

using block_lock = tas_lock<scope::block>;

}  // namespace finesync::test
