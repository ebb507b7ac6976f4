// The experiment for any primitive that hands payloads over.
#pragma once

#include "hand_off.cuh"
#include "waiting_times.hpp"

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
#include <numeric>
#include <random>
#include <string>
#include <type_traits>
#include <vector>

namespace finesync::hand_off {

template <class Payload>
class event_experiment final : public bench::experiment {
 public:
  explicit event_experiment(const run_config& config)
      : config_(config),
        shape_{.blocks = static_cast<unsigned>(current_gpu().sms),
               .threads_per_block = config.threads_per_block},
        who_(crowd_of(config, shape_.blocks)),
        payload_(is_pair() ? 2 : 1, is_pair() ? 1 : who_.producers, config),
        returned_(1),
        places_(shape_.blocks),
        seen_(2) {}

  void reset() override {
    std::vector<std::uint32_t> places(shape_.blocks);
    std::iota(places.begin(), places.end(), 0u);
    std::shuffle(places.begin(), places.end(), std::mt19937(runs_++));
    places_.copy_from(places);
    payload_.reset();
    returned_.reset();
    seen_.fill_bytes(0);
    watchdog_.reset();
  }

  void launch() override {
    if (!is_pair()) return start_to_all(shape_, config_.rounds, no_notes{});
    with_most_accesses(1, [&](auto most) {
      if constexpr (!Payload::waits_for_block)
        if (config_.whole_block) return start_to_and_fro<most.value, true>();
      start_to_and_fro<most.value, false>();
    });
  }

  bench::outcome verify() override {
    return ending(is_pair() ? 2 : who_.consumers * who_.producers, config_.rounds);
  }

  bench::counters measure() override {
    if (current_gpu().simulated) return {};
    constexpr unsigned rounds = 300;
    buffer<times_of_round> times(std::size_t{shape_.blocks} * rounds);
    launch_shape shape = shape_;
    shape.shared_bytes = noted_times::bytes(rounds);
    reset();
    start_to_all(shape, rounds, noted_times(times.device_data()));
    bench::expect_ok(ending(who_.consumers * who_.producers, rounds));
    return waiting_times(times.to_host(), who_, rounds);
  }

  bench::parameters effective_parameters() const override {
    bench::parameters effective = workload::parameters_of(shape_);
    workload::add_parameter(effective, "producers", who_.producers);
    workload::add_parameter(effective, "consumers", who_.consumers);
    effective["l2_sides_by"] = std::string(returned_.map().shown_by());
    return effective;
  }

  double operations() const override { return (is_pair() ? 2.0 : 1.0) * config_.rounds; }

 private:
  static crowd crowd_of(const run_config& config, unsigned blocks) {
    const auto number = [&](unsigned asked) { return asked == 0 ? blocks : asked; };
    const crowd who{.producers = number(config.producers),
                    .first_consumer = 0,
                    .consumers = number(config.consumers)};
    if (std::max(who.producers, who.consumers) > blocks || blocks == 1)
      throw bench::infeasible("one block per SM, and this GPU has " + std::to_string(blocks) +
                              " SMs");
    const bool are_apart = who.producers + who.consumers <= blocks;
    return {who.producers, are_apart ? who.producers : 0, who.consumers};
  }
  bool is_pair() const { return who_.producers == 1 && who_.consumers == 1; }

  /// Calls launch with the number of accesses that a thread has at most for the payloads of some
  /// producers, as a constant; with 0 if they are many.
  template <class Launch>
  void with_most_accesses(unsigned producers, Launch launch) {
    const unsigned each =
        (producers * payload_.accesses() + shape_.threads_per_block - 1) / shape_.threads_per_block;
    if (each == 1)
      launch(std::integral_constant<unsigned, 1>());
    else if (each == 2)
      launch(std::integral_constant<unsigned, 2>());
    else
      launch(std::integral_constant<unsigned, 0>());
  }

  template <unsigned Most, bool WholeBlock>
  void start_to_and_fro() {
    launch_cooperative(to_and_fro<Payload, Most, WholeBlock>, shape_, payload_.ref(),
                       places_.device_data(), config_.rounds, findings{seen_.device_data()},
                       watchdog_.ref());
  }

  template <class Notes>
  void start_to_all(const launch_shape& shape, unsigned rounds, const Notes& notes) {
    with_most_accesses(who_.producers, [&](auto most) {
      launch_cooperative(to_all<Payload, most.value, Notes>, shape, payload_.ref(), returned_.ref(),
                         places_.device_data(), who_, rounds, findings{seen_.device_data()},
                         watchdog_.ref(), notes);
    });
  }

  /// \param payloads read in each round.
  bench::outcome ending(unsigned payloads, unsigned rounds) {
    stream().synchronize();
    if (const auto ended = watchdog_.report()) return workload::timed_out(*ended);
    const std::vector<std::uint64_t> seen = seen_.to_host();
    const std::uint64_t due = std::uint64_t{rounds} * payloads * payload_.accesses();
    if (seen[0] == 0 && seen[1] == due) return {};
    return {bench::status::wrong, std::to_string(seen[0]) + " of " + std::to_string(seen[1]) +
                                      " accesses to payloads found another round, and " +
                                      std::to_string(due) + " were due"};
  }

  run_config config_;
  launch_shape shape_;
  crowd who_;
  Payload payload_;
  event_counts<> returned_;
  buffer<std::uint32_t> places_;
  buffer<std::uint64_t> seen_;  ///< see findings
  watchdog watchdog_;
  unsigned runs_ = 0;
};

}  // namespace finesync::hand_off
