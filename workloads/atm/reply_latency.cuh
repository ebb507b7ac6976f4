// Reply latency of clients: the time from request to reply, for every n-th turn of each client.
// Only instrumented runs measure it; they are never timed.
#pragma once

#include <bench/experiment.hpp>
#include <finesync/device/clock.cuh>
#include <finesync/device/platform.cuh>
#include <finesync/host/buffer.cuh>
#include <workloads/common/outcomes.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace finesync::atm {

/// The timer of a client, which takes one turn after the other.
struct reply_timer {
  static constexpr unsigned every = 8;
  cell<std::uint32_t>* ns;
  std::uint32_t kept;  ///< per client
  std::uint32_t turn = 0;
  std::uint64_t began = 0;

  __device__ void start() { began = global_time_ns(); }
  __device__ void stop(std::uint32_t client) {
    if (turn % every == 0 && turn / every < kept)
      ns[std::size_t{client} * kept + turn / every] =
          static_cast<std::uint32_t>(global_time_ns() - began);
    ++turn;
  }
};
struct no_reply_timer {
  __device__ void start() const {}
  __device__ void stop(std::uint32_t /*client*/) const {}
};

/// The client's number, in kernels whose threads are clients.
__device__ inline std::uint32_t this_client() {
  return blockIdx.x * blockDim.x + threadIdx.x;
}

/// The host side.
class reply_latency {
 public:
  /// \param turns turns of each client, or one more.
  reply_latency(std::uint32_t clients, std::uint32_t turns)
      : kept_(kept_of(turns)),
        least_(std::max<std::size_t>(1, std::size_t{clients} * kept_of(turns - 1))),
        ns_(std::size_t{clients} * kept_) {
    ns_.fill_bytes(0xff);
  }

  reply_timer watch() const { return {ns_.device_data(), kept_}; }

  /// \throws bench::failed_run if a client has timed too few replies.
  bench::counters describe() const {
    std::vector<std::uint32_t> waits = ns_.to_host();
    std::erase(waits, ~0u);
    workload::expect_plausible(waits.size() >= least_,
                               std::to_string(waits.size()) + " of at least " +
                                   std::to_string(least_) + " replies were timed");
    std::sort(waits.begin(), waits.end());
    const auto at = [&](std::size_t percent) {
      return static_cast<double>(waits[(waits.size() - 1) * percent / 100]);
    };
    return {{"reply_p50_ns", at(50)}, {"reply_p99_ns", at(99)}, {"reply_max_ns", at(100)}};
  }

 private:
  static std::uint32_t kept_of(std::uint32_t turns) {
    return (turns + reply_timer::every - 1) / reply_timer::every;
  }

  std::uint32_t kept_;
  std::size_t least_;
  buffer<std::uint32_t> ns_;
};

}  // namespace finesync::atm
