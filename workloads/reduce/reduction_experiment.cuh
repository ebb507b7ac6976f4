// What all versions share: words, sums, watchdog and verification.
#pragma once

#include "block_sum.cuh"
#include "rounds.cuh"
#include "run_config.hpp"
#include "words.hpp"

#include <bench/experiment.hpp>
#include <finesync/host/buffer.cuh>
#include <finesync/host/launch.cuh>
#include <finesync/host/watchdog.cuh>
#include <workloads/common/effective_parameters.hpp>
#include <workloads/common/grid.cuh>
#include <workloads/common/outcomes.hpp>

#include <cstdint>
#include <memory>
#include <string>

namespace finesync::reduce {

class reduction_experiment : public bench::experiment {
 public:
  reduction_experiment(const run_config& config, const launch_shape& shape)
      : config_(config),
        shape_(shape),
        words_(words_of(config.words)),
        shares_(std::size_t{rounds_kept(config.form)} * shape.blocks),
        totals_(config.rounds) {
    workload::expect_whole_warps(config.threads_per_block);
  }

  void reset() override {
    shares_.fill_bytes(0xff);
    totals_.fill_bytes(0);
    watchdog_.reset();
  }

  bench::outcome verify() override {
    stream().synchronize();
    if (const auto ended = watchdog_.report()) return workload::timed_out(*ended);
    const std::vector<std::uint64_t> totals = totals_.to_host();
    for (unsigned round = 0; round < config_.rounds; ++round) {
      const std::uint64_t right = words_->sum() + marks_of(round);
      if (totals[round] != right)
        return {bench::status::wrong, "the sum of round " + std::to_string(round) + " is " +
                                          std::to_string(totals[round]) + ", not " +
                                          std::to_string(right)};
    }
    return {};
  }

  bench::parameters effective_parameters() const override {
    bench::parameters effective = workload::parameters_of(shape_);
    workload::add_parameter(effective, "rounds", config_.rounds);
    return effective;
  }
  /// Words read.
  double operations() const override { return static_cast<double>(config_.words) * config_.rounds; }

 protected:
  /// What the version's blocks add to the words' sum.
  virtual std::uint64_t marks_of(unsigned round) const { return shape_.blocks * mark_of(round); }

  const run_config& config() const { return config_; }
  const launch_shape& shape() const { return shape_; }
  words_ref words() const { return {words_->quads(), words_->number_of_quads()}; }
  results_ref results() const { return {shares_.device_data(), totals_.device_data()}; }
  watchdog_ref timeout() const { return watchdog_.ref(); }

 private:
  run_config config_;
  launch_shape shape_;
  std::shared_ptr<const resident_words> words_;
  buffer<std::uint64_t> shares_;
  buffer<std::uint64_t> totals_;
  watchdog watchdog_;
};

}  // namespace finesync::reduce
