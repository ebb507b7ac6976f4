// The experiment for any channel array.
#pragma once

#include "timed_chain.cuh"

#include <bench/experiment.hpp>
#include <finesync/host/buffer.cuh>
#include <finesync/host/gpu.cuh>
#include <finesync/host/launch.cuh>
#include <finesync/host/watchdog.cuh>
#include <workloads/common/effective_parameters.hpp>
#include <workloads/common/outcomes.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace finesync::chain {

/// Laps that were not taken, or begin before the thread's lap before has ended.
/// \param laps of each round those of all threads.
inline std::size_t laps_out_of_order(const std::vector<lap>& laps, unsigned threads) {
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < laps.size(); ++i) {
    const std::uint64_t before = i < threads ? 0 : laps[i - threads].end;
    wrong +=
        laps[i].begin < before || laps[i].end < laps[i].begin || laps[i].end == ~std::uint64_t{0};
  }
  return wrong;
}

template <class ChannelArray>
class chain_experiment final : public bench::experiment {
 public:
  explicit chain_experiment(const run_config& config)
      : config_(checked(config)),
        shape_{.threads_per_block = 32 * config.warps,
               .shared_bytes = ChannelArray::bytes(32 * config.warps + config.distance)},
        sums_(std::size_t{config.rounds} * shape_.threads_per_block),
        laps_(sums_.size()) {}

  void reset() override {
    sums_.fill_bytes(0xff);
    laps_.fill_bytes(0xff);
    watchdog_.reset();
  }

  void launch() override {
    launch_independent(time_chains<ChannelArray>, shape_, config_, sums_.device_data(),
                       laps_.device_data(), watchdog_.ref());
  }

  bench::outcome verify() override {
    stream().synchronize();
    if (const auto ended = watchdog_.report()) return workload::timed_out(*ended);
    const std::vector<std::uint32_t> sums = sums_.to_host();
    for (unsigned round = 0; round < config_.rounds; ++round) {
      const auto of_round = sums.begin() + std::ptrdiff_t{round} * shape_.threads_per_block;
      for (unsigned i = 0; i < shape_.threads_per_block; ++i) {
        const std::uint32_t before =
            i < config_.distance ? first_value(round) : of_round[i - config_.distance];
        if (of_round[i] != before + i)
          return {bench::status::wrong,
                  "in round " + std::to_string(round) + " thread " + std::to_string(i) + " has " +
                      std::to_string(of_round[i]) + ", not " + std::to_string(before + i)};
      }
    }
    const std::size_t wrong = laps_out_of_order(laps_.to_host(), shape_.threads_per_block);
    return workload::wrong_unless(
        wrong == 0, std::to_string(wrong) + " laps do not follow their thread's lap before");
  }

  bench::counters measure() override {
    if (current_gpu().simulated) return {};
    reset();
    launch();
    bench::expect_ok(verify());
    std::vector<std::uint32_t> cycles = cycles_of_rounds();
    std::sort(cycles.begin(), cycles.end());
    const auto quantile = [&](double share) {
      return cycles[static_cast<std::size_t>(share * static_cast<double>(cycles.size() - 1))];
    };
    return {{"chain_cycles_p5", quantile(.05)},
            {"chain_cycles_p50", quantile(.5)},
            {"chain_cycles_p95", quantile(.95)}};
  }

  bench::parameters effective_parameters() const override {
    bench::parameters effective = workload::parameters_of(shape_);
    const unsigned tokens = 4 * shape_.threads_per_block;
    workload::add_parameter(
        effective, "sync_bytes",
        static_cast<unsigned>(ChannelArray::bytes(shape_.threads_per_block)) - tokens);
    workload::add_parameter(effective, "named_barriers", barriers());
    workload::add_parameter(effective, "hops", links());
    return effective;
  }

  double operations() const override { return double{1} * config_.rounds * links(); }

 private:
  /// \throws bench::infeasible for configurations that the channels do not support.
  static const run_config& checked(const run_config& config) {
    if (config.rounds == 0 || config.rounds > max_rounds)
      throw bench::infeasible("--rounds must be 1 to " + std::to_string(max_rounds));
    if (ChannelArray::by_warps && config.distance % 32 != 0)
      throw bench::infeasible(
          "this primitive goes from warp to warp: --distance must be a multiple of 32");
    if constexpr (requires { ChannelArray::is_chain; })
      if (config.distance != 32 && config.distance < 32 * config.warps)
        throw bench::infeasible(
            "this primitive goes from each warp to the next: --distance must be 32");
    if (32 * config.warps > ChannelArray::max_threads + config.distance)
      throw bench::infeasible("this primitive has channels for at most " +
                              std::to_string(ChannelArray::max_threads) +
                              " threads that pass sums on");
    return config;
  }

  /// Hops in the longest chain: its threads, less one.
  unsigned links() const { return (shape_.threads_per_block - 1) / config_.distance; }

  /// Named barriers that the channels use.
  unsigned barriers() const {
    if constexpr (requires { ChannelArray::barriers(0); }) {
      return ChannelArray::barriers(shape_.threads_per_block - config_.distance);
    } else {
      return 0;
    }
  }

  /// From the earliest start to the latest end.
  std::vector<std::uint32_t> cycles_of_rounds() const {
    const std::vector<lap> laps = laps_.to_host();
    std::vector<std::uint32_t> cycles(config_.rounds);
    for (unsigned round = 0; round < config_.rounds; ++round) {
      const auto of_round = laps.begin() + std::ptrdiff_t{round} * shape_.threads_per_block;
      std::uint64_t first = of_round->begin;
      std::uint64_t last = of_round->end;
      for (unsigned i = 1; i < shape_.threads_per_block; ++i) {
        first = std::min(first, of_round[i].begin);
        last = std::max(last, of_round[i].end);
      }
      cycles[round] = static_cast<std::uint32_t>(last - first);
    }
    return cycles;
  }

  run_config config_;
  launch_shape shape_;
  buffer<std::uint32_t> sums_;
  buffer<lap> laps_;
  watchdog watchdog_;
};

}  // namespace finesync::chain
