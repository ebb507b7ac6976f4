// One run of servers and clients on several GPUs, with the messages and checks of
// tests/library/server/.
#pragma once

#include <finesync/host/peers.cuh>
#include <finesync/several_gpus/gpus_server_pool.cuh>

#include <tests/library/server/server_scenario.hpp>

#include <algorithm>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace finesync::test {

/// An archive on each GPU, for the requests that its servers get.
class gpus_archives {
 public:
  gpus_archives(const peers& all, const server_scenario& e) {
    for (const stream& each : all.streams()) {
      const auto zeroed = [&](std::size_t size) {
        return buffer<std::uint32_t>::zeroed(size, each);
      };
      of_gpu_.push_back({zeroed(e.messages.keys + 1), zeroed(e.messages.keys + 1),
                         zeroed(e.numbers() + 1), zeroed(1)});
    }
    all.synchronize();
  }

  archive of(unsigned gpu) const {
    const words& here = of_gpu_[gpu];
    return {here.count.device_data(), here.head.device_data(), here.next.device_data(),
            here.foreign.device_data()};
  }

  /// \returns the error in all of them together, or nothing. A key has one server, so one GPU.
  template <bool WithNumbers>
  std::string complaint(const server_scenario& e) const {
    std::vector<std::uint32_t> count(e.messages.keys + 1);
    std::vector<std::uint32_t> head(e.messages.keys + 1);
    std::vector<std::uint32_t> next(e.numbers() + 1);
    std::uint32_t foreign = 0;
    for (const words& each : of_gpu_) {
      const std::vector<std::uint32_t> here = each.count.to_host();
      for (std::uint32_t key = 0; key < e.messages.keys; ++key)
        if (here[key] != 0 && count[key] != 0)
          return "key " + std::to_string(key) + ": requests on two GPUs";
      add(count, here);
      add(head, each.head.to_host());
      add(next, each.next.to_host());
      foreign += each.foreign.to_host()[0];
    }
    return check<WithNumbers>(e, count, head, next, foreign);
  }

 private:
  struct words {
    buffer<std::uint32_t> count, head, next, foreign;
  };

  static void add(std::vector<std::uint32_t>& sums, const std::vector<std::uint32_t>& more) {
    std::transform(sums.begin(), sums.end(), more.begin(), sums.begin(), std::plus<>());
  }

  std::vector<words> of_gpu_;
};

/// Runs the scenario once, under the current settings. \returns the error, or nothing.
template <class Channel, class Execution, class Service, class Partition = modulo_partition>
std::string run_on_gpus(const std::vector<int>& devices, const server_scenario& e,
                        std::uint64_t longest_wait_ns = 1'000'000'000) {
  const peers all{std::span<const int>(devices)};
  const gpus_archives files(all, e);
  gpus_server_pool<Channel, Execution, Partition> pool(all, e.config);
  const gpus_watchdog timeout(all, longest_wait_ns);
  try {
    pool.launch(
        e.threads_per_block,
        [&](unsigned me) { return Service(e.messages, files.of(me), e.numbers()); },
        senders<Service::words>{e.messages}, timeout);
  } catch (const hang_error& problem) {
    return problem.what();
  } catch (const race_error& problem) {
    return problem.what();
  }
  if (const auto late = timeout.report()) return to_string(*late);
  return files.complaint<Service::words != 0>(e);
}

}  // namespace finesync::test
