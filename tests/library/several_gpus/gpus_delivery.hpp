// One run of servers and clients on several GPUs, with the messages and checks of
// tests/library/server/.
#pragma once

#include <finesync/host/peers.cuh>
#include <finesync/several_gpus/gpus_server_pool.cuh>

#include <tests/library/harness/run.hpp>
#include <tests/library/server/server_scenario.hpp>

#include <span>

namespace finesync::test {

/// The messages received on each GPU, for the requests that its servers get.
class gpus_received {
 public:
  gpus_received(const peers& all, const server_scenario& e) {
    for (const stream& each : all.streams()) {
      of_gpu_.push_back({zeroed(e.messages.keys + 1, each), zeroed(e.messages.keys + 1, each),
                         zeroed(e.numbers() + 1, each), zeroed(1, each)});
    }
    all.synchronize();
  }

  received_messages of(unsigned gpu) const {
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
  const gpus_received files(all, e);
  gpus_server_pool<Channel, Execution, Partition> pool(all, e.config);
  const gpus_watchdog timeout(all, longest_wait_ns);
  const std::string complaint = complaint_about_launch([&] {
    pool.launch(
        e.threads_per_block,
        [&](unsigned me) { return Service(e.messages, files.of(me), e.numbers()); },
        senders<Service::words>{e.messages}, timeout);
  });
  if (!complaint.empty()) return complaint;
  if (const auto late = timeout.report()) return to_string(*late);
  return files.complaint<Service::words != 0>(e);
}

}  // namespace finesync::test
