// The experiment for any semaphore with the library's interface.
#pragma once

#include "contend.cuh"
#include "counted_tries.cuh"
#include "without_semaphore.cuh"

#include <bench/experiment.hpp>
#include <finesync/host/gpu.cuh>
#include <finesync/host/launch.cuh>
#include <finesync/host/watchdog.cuh>
#include <workloads/common/effective_parameters.hpp>
#include <workloads/common/grid.cuh>
#include <workloads/common/observers/fairness.hpp>
#include <workloads/common/observers/wait_observer.cuh>
#include <workloads/common/outcomes.hpp>
#include <workloads/common/timing.hpp>

#include <memory>
#include <string>
#include <type_traits>

namespace finesync::semaphore {

/// A semaphore without writers, that is, without entries that take all permits at once.
template <class Semaphore>
inline constexpr bool takes_one_permit = requires {
  typename Semaphore::of_one_permit;
};

/// A semaphore in which a thread may have to wait to leave.
template <class Ref>
inline constexpr bool exits_wait = requires {
  requires Ref::exits_wait;
};

/// `Semaphore` is the owner.
template <class Semaphore, class Section>
class semaphore_experiment final : public bench::experiment {
 public:
  explicit semaphore_experiment(const run_config& config)
      : config_(config),
        shape_(workload::grid_for(
            config, Section::shared_bytes, contend<Section, ref, workload::for_rounds, no_observer>,
            contend<Section, ref, workload::for_rounds, occupancy_observer>,
            contend<Section, ref, workload::for_duration, workload::wait_observer>)),
        table_(config, shape_.blocks),
        semaphore_(config.size) {}

  void reset() override {
    table_.reset();
    semaphore_.reset();
    watchdog_.reset();
  }

  void launch() override { start(all_rounds(), no_observer{}); }

  bench::outcome verify() override {
    const bench::outcome ended = ending(config_.rounds);
    if (!ended.ok()) return ended;
    const bool has_them_back = has_all_permits();
    reset();
    start(all_rounds(), occupancy_observer(table_.ref(), config_.size));
    const bench::outcome counted = ending(config_.rounds);
    if (!counted.ok()) return counted;
    return workload::wrong_unless(has_them_back,
                                  "permits were lost, or there are more than before");
  }
  std::string unverified() const override {
    return "the permits in use, by a run that counts them after each";
  }

  bench::counters measure() override {
    bench::counters seen;
    if constexpr (tells_held_back<ref>) report_tries(seen);
    if (current_gpu().simulated) return seen;
    const double rest = workload::median_seconds(
        [&] { reset(); },
        [&] { launch_without_semaphore(config_, shape_, table_.ref(), watchdog_.ref()); });
    bench::expect_ok(verify_rounds(table_.read(), config_.rounds));
    seen["unsynchronized_ns_per_operation"] = rest * 1e9 / operations();

    reset();
    const workload::wait_record waits(shape_.blocks);
    start(workload::fairness_run, waits.probe());
    if (waits.report(ending(any_rounds), table_.read().acquisitions(), seen)) report_shares(seen);
    if constexpr (exits_wait<ref>) report_exits(seen);
    return seen;
  }

  bench::parameters effective_parameters() const override {
    bench::parameters effective =
        workload::with_parameters_of<Semaphore>(workload::parameters_of(shape_));
    if constexpr (requires { Semaphore::held_back_max_ns; })
      workload::add_parameter(effective, "held_back_max_ns", Semaphore::held_back_max_ns);
    return effective;
  }

  double operations() const override { return double{1} * shape_.blocks * config_.rounds; }

 private:
  workload::for_rounds all_rounds() const { return {config_.rounds}; }

  using ref = decltype(std::declval<const Semaphore&>().ref());

  template <class RunLength, class Probe>
  void start(const RunLength& run_length, const Probe& probe) {
    launch_cooperative(contend<Section, ref, RunLength, Probe>, shape_, semaphore_.ref(),
                       table_.ref(), run_length, watchdog_.ref(), probe);
  }

  bool has_all_permits() const {
    const auto free = buffer<std::uint32_t>::zeroed(1);
    launch_independent(take_all<ref>, {1, 1}, semaphore_.ref(), config_.size,
                       takes_one_permit<Semaphore> ? 1 : config_.size, watchdog_.ref(),
                       free.device_data());
    return free.to_host()[0] == 1;
  }
  bench::outcome ending(unsigned rounds) const {
    stream().synchronize();
    const run_record all = table_.read();
    if (const auto ended = watchdog_.report())
      return workload::timed_out(*ended, all.acquisitions());
    const bench::outcome had_rounds = verify_rounds(all, rounds);
    return had_rounds.ok() ? verify_sections(all) : had_rounds;
  }

  /// Of those that enter, in a run of their own.
  void report_tries(bench::counters& seen) {
    reset();
    const auto words = buffer<std::uint64_t>::zeroed(4);
    launch_cooperative(contend<Section, counted_tries<ref>, workload::for_rounds, no_observer>,
                       shape_, counted_tries<ref>(semaphore_.ref(), words.device_data()),
                       table_.ref(), all_rounds(), watchdog_.ref(), no_observer{});
    const bench::outcome ended = ending(config_.rounds);
    if (ended.what == bench::status::timeout) return;
    bench::expect_ok(ended);
    const auto counts = words.to_host();
    workload::expect_plausible(
        counts[0] == counts[2] && counts[1] == counts[3] &&
            static_cast<double>(counts[0]) >= operations(),
        std::to_string(counts[0]) + " tries for the lock of all that entered");
    seen["lock_tries_per_operation"] = static_cast<double>(counts[0]) / operations();
    seen["held_back_per_operation"] = static_cast<double>(counts[1]) / operations();
  }

  void report_exits(bench::counters& seen) {
    reset();
    const workload::wait_record waits(shape_.blocks);
    start(workload::fairness_run, exit_wait_observer(waits.probe()));
    waits.report(ending(any_rounds), table_.read().acquisitions(), seen, "exit_wait");
  }

  void report_shares(bench::counters& seen) const {
    const run_record all = table_.read();
    const auto report = [&](const std::vector<std::uint64_t>& counts, const char* what) {
      if (!counts.empty()) workload::report(workload::fairness_of(counts), what, seen);
    };
    report(all.everybody(), "acquisitions");
    report(all.readers, "reader_acquisitions");
    report(all.writers, "writer_acquisitions");
  }

  run_config config_;
  launch_shape shape_;
  table table_;
  Semaphore semaphore_;
  watchdog watchdog_;
};

/// The experiment with the configured section.
template <class Semaphore>
std::unique_ptr<bench::experiment> experiment_at(const run_config& config) {
  if constexpr (takes_one_permit<Semaphore>) {
    if (config.writers)
      throw bench::infeasible("this semaphore takes one permit at a time: use --writers no");
  }
  if (config.sms > sm_slots)
    throw bench::infeasible("blocks are counted for at most " + std::to_string(sm_slots) + " SMs");
  if (config.writer_grows) {
    if (config.ldst == 0)
      throw bench::infeasible("the writer of two words does not grow: use --ldst 1 or more");
    return std::make_unique<semaphore_experiment<Semaphore, share_of_table>>(config);
  }
  if (config.ldst == 0) return std::make_unique<semaphore_experiment<Semaphore, two_words>>(config);
  return std::make_unique<semaphore_experiment<Semaphore, all_words>>(config);
}

/// The same for `Semaphore` with its back-off, or `WithoutBackoff` (void: no such variant).
template <class Semaphore, class WithoutBackoff>
std::unique_ptr<bench::experiment> experiment_with(const run_config& config) {
  if constexpr (!std::is_void_v<WithoutBackoff>) {
    if (!config.backoff) return experiment_at<WithoutBackoff>(config);
  }
  return experiment_at<Semaphore>(config);
}

}  // namespace finesync::semaphore
