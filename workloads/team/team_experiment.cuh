// The experiment for any barrier of teams: an owner with the interface of team_barrier.
#pragma once

#include "formation.hpp"
#include "rounds.cuh"
#include "run_config.hpp"

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

namespace finesync::team {

template <class Teams>
class team_experiment final : public bench::experiment {
  using ref_type = typename Teams::ref_type;

 public:
  explicit team_experiment(const run_config& config)
      : config_(config),
        shape_{.blocks = static_cast<unsigned>(current_gpu().sms),
               .threads_per_block = config.threads_per_block},
        how_(formation_of(config, shape_.blocks)),
        teams_(how_.teams()),
        words_(std::size_t{4} * shape_.blocks * shape_.threads_per_block),
        stale_and_passed_(2) {}

  void reset() override {
    teams_.reset();
    watchdog_.reset();
    words_.fill_bytes(0xff);
    stale_and_passed_.fill_bytes(0);
  }

  void launch() override {
    if (config_.words == 0)
      start(config_.rounds, idle());
    else
      start(config_.rounds, exchanged());
  }

  bench::outcome verify() override {
    const bench::outcome timed = ending(config_.rounds);
    if (!timed.ok() || config_.words != 0) return timed;
    const unsigned further = std::min(config_.rounds, 100u);
    reset();
    start(further, exchanged());
    return ending(further);
  }

  std::string unverified() const override {
    if (config_.words != 0) return {};
    return "whether a block passed early; words checked in a further run";
  }

  bench::parameters effective_parameters() const override {
    bench::parameters effective = workload::parameters_of(shape_);
    workload::add_parameter(effective, "team_size", how_.columns);
    workload::add_parameter(effective, "teams", how_.rows);
    return effective;
  }

  double operations() const override { return config_.rounds; }

 private:
  static formation formation_of(const run_config& config, unsigned blocks) {
    const unsigned size = config.team_size == 0 ? blocks : config.team_size;
    if (size > blocks)
      throw bench::infeasible("one block per SM, and this GPU has " + std::to_string(blocks) +
                              " SMs");
    return {.rows = blocks / size, .columns = size};
  }

  exchange exchanged() const { return {words_.device_data(), stale_and_passed_.device_data()}; }

  template <class Work>
  void start(unsigned rounds, const Work& work) {
    if (config_.crossing)
      launch_cooperative(pass_rounds<true, ref_type, Work>, shape_, teams_.ref(), how_, rounds,
                         work, stale_and_passed_.device_data() + 1, watchdog_.ref());
    else
      launch_cooperative(pass_rounds<false, ref_type, Work>, shape_, teams_.ref(), how_, rounds,
                         work, stale_and_passed_.device_data() + 1, watchdog_.ref());
  }

  bench::outcome ending(unsigned rounds) {
    stream().synchronize();
    if (const auto ended = watchdog_.report()) return workload::timed_out(*ended);
    const auto found = stale_and_passed_.to_host();
    const std::uint64_t due = std::uint64_t{rounds} * how_.blocks();
    return workload::wrong_unless(
        found[0] == 0 && found[1] == due,
        std::to_string(found[0]) + " words were of another round, and blocks passed " +
            std::to_string(found[1]) + " of " + std::to_string(due) + " barriers");
  }

  run_config config_;
  launch_shape shape_;
  formation how_;
  Teams teams_;
  buffer<std::uint32_t> words_;
  buffer<std::uint64_t> stale_and_passed_;
  watchdog watchdog_;
};

}  // namespace finesync::team
