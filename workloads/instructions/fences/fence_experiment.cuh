// The experiment for any fence.
#pragma once

#include "timed_fences.cuh"

#include <bench/experiment.hpp>
#include <finesync/host/buffer.cuh>
#include <finesync/host/gpu.cuh>
#include <finesync/host/launch.cuh>
#include <workloads/common/effective_parameters.hpp>
#include <workloads/common/outcomes.hpp>
#include <workloads/instructions/taken_times.hpp>

#include <algorithm>
#include <cstddef>
#include <set>
#include <string>
#include <vector>

namespace finesync::instructions::fences {

/// \tparam Fence stateless function object that executes the fence.
template <class Fence, class Touch = touch>
class fence_experiment final : public bench::experiment {
 public:
  explicit fence_experiment(const run_config& config)
      : config_(config),
        shape_{.blocks = static_cast<unsigned>(current_gpu().sms),
               .threads_per_block = threads_per_block,
               .shared_bytes = sizeof(block_memory)},
        lines_(shape_.blocks),
        reports_(std::size_t{shape_.blocks} * words_per_report),
        cycles_(std::size_t{shape_.blocks} * 2 * (1 + config.rounds)) {
    if (config.rounds == 0 || config.rounds > max_rounds)
      throw bench::infeasible("--rounds must be 1 to " + std::to_string(max_rounds));
  }

  void reset() override {
    lines_.reset();
    reports_.fill_bytes(0);
    cycles_.fill_bytes(0xff);
  }

  void launch() override {
    launch_independent(time_fences<Fence, Touch>, shape_, config_, lines_.ref(),
                       reports_.device_data(), cycles_.device_data());
  }

  bench::outcome verify() override {
    stream().synchronize();
    const std::vector<std::uint32_t> reports = reports_.to_host();
    std::set<std::uint32_t> sms;
    for (unsigned block = 0; block < shape_.blocks; ++block) {
      const auto own = reports.begin() + words_per_report * block;
      if (own[report::last] != expected_last() || own[report::seen] != expected_seen())
        return {bench::status::wrong,
                "block " + std::to_string(block) + " left " + std::to_string(own[report::last]) +
                    " and saw " + std::to_string(own[report::seen]) + " in all, not " +
                    std::to_string(expected_last()) + " and " + std::to_string(expected_seen())};
      sms.insert(own[report::sm]);
    }
    if (sms.size() != shape_.blocks)
      return {bench::status::wrong, std::to_string(shape_.blocks) + " blocks ran on " +
                                        std::to_string(sms.size()) + " SMs"};
    const std::string fault = fault_of_cycles(cycles_.to_host(), !current_gpu().simulated);
    return workload::wrong_unless(fault.empty(), fault);
  }

  bench::counters measure() override {
    if (current_gpu().simulated) return {};
    reset();
    launch();
    bench::expect_ok(verify());
    const double empty = quantile(cycles_without_first(1), .5);
    const std::vector<std::uint32_t> fences = cycles_without_first(0);
    return {{"fence_cycles_p5", quantile(fences, .05) - empty},
            {"fence_cycles_p50", quantile(fences, .5) - empty},
            {"fence_cycles_p95", quantile(fences, .95) - empty}};
  }

  bench::parameters effective_parameters() const override {
    bench::parameters effective = workload::parameters_of(shape_);
    effective["l2_sides_by"] = std::string(lines_.map().shown_by());
    return effective;
  }

  double operations() const override { return double{1} * shape_.blocks * config_.rounds; }

 private:
  bool touches() const { return config_.fence.accessed != place::none; }

  std::uint32_t expected_last() const {
    if (!touches() || config_.fence.kind == access::load) return first_value;
    return config_.fence.kind == access::store ? config_.rounds : first_value + 1 + config_.rounds;
  }

  std::uint32_t expected_seen() const {
    if (!touches() || config_.fence.kind == access::store) return 0;
    const std::uint32_t times = 1 + config_.rounds;
    return config_.fence.kind == access::load ? first_value * times
                                              : first_value * times + times * (times - 1) / 2;
  }

  /// \param which 0: cycles with the fence, 1: without.
  std::vector<std::uint32_t> cycles_without_first(unsigned which) const {
    const std::vector<std::uint32_t> all = cycles_.to_host();
    std::vector<std::uint32_t> found;
    for (unsigned block = 0; block < shape_.blocks; ++block) {
      const auto first = all.begin() + (2 * block + which) * (1 + config_.rounds);
      found.insert(found.end(), first + 1, first + 1 + config_.rounds);
    }
    return found;
  }

  static double quantile(std::vector<std::uint32_t> values, double share) {
    const auto at = values.begin() +
                    static_cast<std::ptrdiff_t>(share * static_cast<double>(values.size() - 1));
    std::nth_element(values.begin(), at, values.end());
    return *at;
  }

  run_config config_;
  launch_shape shape_;
  l2_lines lines_;
  buffer<std::uint32_t> reports_;
  buffer<std::uint32_t> cycles_;
};

}  // namespace finesync::instructions::fences
