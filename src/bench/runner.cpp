// SPDX-License-Identifier: Apache-2.0
#include <bench/named.hpp>
#include <bench/runner.hpp>
#include <finesync/host/error.cuh>

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <exception>
#include <new>
#include <numeric>
#include <stdexcept>
#include <thread>
#include <utility>

namespace finesync::bench {
namespace {

constexpr std::size_t quick_repetitions = 3;

// Of one point. A GPU that is always throttled then costs a point half a second, and its rows say
// so; one that has met a limit for a moment has left it by then.
constexpr std::size_t most_samples_again = 5;
constexpr std::chrono::milliseconds cooling(100);

// A workload's failures become rows, never the end of the sweep; but without an input there are
// none.
template <class Action>
outcome caught(Action&& action) {
  try {
    return action();
  } catch (const unusable_input&) {
    throw;
  } catch (const infeasible& why) {
    return {status::skipped, why.what()};
  } catch (const failed_run& why) {
    return why.ended();
  } catch (const hung& why) {
    return {why.what_kind(), why.what()};
  } catch (const launch_error& why) {
    return {status::skipped, why.what()};
  } catch (const device_memory_error& why) {
    return {status::skipped, why.what()};
  } catch (const std::bad_alloc& why) {
    return {status::error, fmt::format("out of host memory ({})", why.what())};
  } catch (const hang_error& why) {
    return {why.deadlock() ? status::deadlock : status::livelock, why.what()};
  } catch (const race_error& why) {
    return {status::wrong, why.what()};
  } catch (const std::exception& why) {
    return {status::error, why.what()};
  } catch (...) {
    return {status::error, "an exception of unknown type"};
  }
}

// A point that was launched is feasible: it is not skipped for want of a verdict.
outcome verdict_on(experiment& launched) {
  outcome ended = caught([&] { return launched.verify(); });
  if (ended.what == status::skipped)
    ended = {status::error, "the run could not be verified: " + ended.reason};
  return ended;
}

outcome check_counters(const counters& measured) {
  for (const auto& [name, value] : measured) {
    if (!std::isfinite(value))
      return {status::error, fmt::format("counter '{}' is not a finite number", name)};
    if (is_row_field(name))
      return {status::error, fmt::format("counter '{}' has the name of a field of the row", name)};
  }
  return {};
}

outcome check_rate(double items_per_second) {
  if (std::isfinite(items_per_second)) return {};
  return {status::error, "items_per_second is not a finite number"};
}

// Profilers record what is queued while it lives.
class profiled {
 public:
  explicit profiled(const machine_interface& on) : machine_(on) { machine_.profile(true); }
  ~profiled() { machine_.profile(false); }
  profiled(const profiled&) = delete;
  profiled& operator=(const profiled&) = delete;

 private:
  const machine_interface& machine_;
};

void add(benchmark::State& state, const counters& measured) {
  for (const auto& [name, value] : measured) state.counters[name] = value;
}

std::size_t throttled_samples(const point_record& record) {
  return std::accumulate(
      record.conditions.begin(), record.conditions.end(), std::size_t{0},
      [](std::size_t sum, const gpu_conditions& each) { return sum + each.throttled_samples; });
}

// Notes the GPU's state after a sample, the last of its repetition so far.
void add(const gpu_state& seen, gpu_conditions& during) {
  during.kept = seen;
  if (seen.throttled_by.empty()) return;
  ++during.throttled_samples;
  for (const std::string& reason : seen.throttled_by)
    if (std::ranges::find(during.throttled_by, reason) == during.throttled_by.end())
      during.throttled_by.push_back(reason);
}

// For a repetition that never ran. It still iterates, because Google Benchmark aborts when the
// repetitions of a point differ in their number.
void refuse(benchmark::State& state, const outcome& why) {
  for (auto iteration : state) {
    static_cast<void>(iteration);
    state.SetIterationTime(0);
  }
  skip(state, why);
}

}  // namespace

runner::runner(const std::vector<primitive>& primitives, const machine_interface& machine,
               bool simulated, const stop_signal& stop, gpu_monitor* monitor)
    : primitives_(primitives),
      machine_(machine),
      simulated_(simulated),
      stop_(stop),
      monitor_(monitor),
      memory_before_(memory_in_use()) {}

void runner::repetition(benchmark::State& state, point_record& record) {
  if (monitor_ != nullptr) record.conditions.emplace_back();
  // An interruption does not hide an earlier failure.
  if (record.outcome.ok() && (stop_.requested() || end_)) {
    record.interrupted = true;
    return refuse(state, {status::skipped, "interrupted"});
  }
  if (record.outcome.ok()) attempt(record, [&] { return prepare(record); });
  if (!record.outcome.ok()) return refuse(state, record.outcome);
  attempt(record, [&] { return timed_runs(state, record); });
  if (!record.outcome.ok()) skip(state, record.outcome);
}

std::optional<double> runner::quick_cost(point_record& record) {
  std::vector<double> costs;
  attempt(record, [&] {
    const outcome made = make(record);
    return made.ok() ? quick_runs(costs) : made;
  });
  release();
  if (record.outcome.what != status::ok || costs.size() < quick_repetitions) return std::nullopt;
  std::sort(costs.begin(), costs.end());
  return costs[costs.size() / 2];
}

void runner::release() {
  live_.reset();
  live_point_ = nullptr;
}

void runner::attempt(point_record& record, const std::function<outcome()>& step) {
  try {
    record.outcome = caught(step);
  } catch (const unusable_input& why) {
    end_ = {2, why.what()};
    record.interrupted = true;
    record.outcome = {status::skipped, "interrupted"};
  }
  if (record.outcome.ok()) return;
  release();
  const std::string& admitted = primitive_of(record).may_be_wrong;
  if (record.outcome.what == status::wrong && !admitted.empty())
    record.outcome = {status::declared_wrong, record.outcome.reason + "; as declared: " + admitted};
  if (has_failed(record) && machine_.is_usable && !machine_.is_usable())
    end_ = {3, "nothing more can run in this process after " + to_message(record.outcome)};
}

const primitive& runner::primitive_of(const point_record& record) const {
  return *named(primitives_, record.point.primitive());
}

outcome runner::make(point_record& record) {
  release();
  const primitive& chosen = primitive_of(record);
  try {
    live_ = chosen.make(record.point);
  } catch (const std::invalid_argument& why) {  // a limit of the library's owners
    return {status::skipped, why.what()};
  }
  is_warm_ = false;
  if (!live_) return {status::error, "the primitive made no experiment"};
  if (chosen.inputs) record.inputs = chosen.inputs(record.point);
  record.effective = live_->effective_parameters();
  record.unverified = live_->unverified();
  return {};
}

outcome runner::quick_runs(std::vector<double>& costs) {
  if (outcome warm_up = verified_run([this] { return timed_launch(); }).outcome;
      warm_up.what != status::ok)
    return warm_up;
  while (costs.size() < quick_repetitions && !stop_.requested()) {
    const run_result run = verified_run([this] { return timed_launch(); });
    if (run.outcome.what != status::ok) return run.outcome;
    const double rate = live_->operations() / run.seconds;
    if (outcome unusable = check_rate(rate); unusable.what != status::ok) return unusable;
    costs.push_back(1 / rate);
  }
  return {};
}

outcome runner::prepare(point_record& record) {
  // With Google Benchmark's random interleaving, points alternate, and their experiments are made
  // again.
  if (live_point_ == &record) return {};
  if (outcome made = make(record); made.what != status::ok) return made;
  live_point_ = &record;
  const run_result warm_up = verified_run([this] { return timed_launch(); });
  if (warm_up.outcome.what != status::ok || record.prepared) return warm_up.outcome;
  record.measured = live_->measure();
  if (const std::size_t memory = memory_in_use(); memory > memory_before_)
    record.measured["gpu_memory_bytes"] = static_cast<double>(memory - memory_before_);
  record.prepared = true;
  return check_counters(record.measured);
}

outcome runner::timed_runs(benchmark::State& state, point_record& record) {
  for (auto iteration : state) {
    static_cast<void>(iteration);
    state.PauseTiming();  // Google Benchmark's own clock, for cpu_time: the launch and its wait
    const run_result run = unthrottled_run(record, [&] {
      const profiled here(machine_);
      state.ResumeTiming();
      const double seconds = timed_launch();
      state.PauseTiming();
      return seconds;
    });
    if (run.outcome.what != status::ok) return run.outcome;
    state.SetIterationTime(run.seconds);
    if (!simulated_) {
      const double rate = live_->operations() / run.seconds;
      if (outcome unusable = check_rate(rate); unusable.what != status::ok) return unusable;
      state.counters["items_per_second"] = rate;
    }
    add(state, record.measured);
    add(state, run.counted);
    record.computed = live_->computed();
    add(state, {record.computed.begin(), record.computed.end()});
    state.ResumeTiming();
  }
  return {};
}

runner::run_result runner::verified_run(const std::function<double()>& timed) {
  // On a GPU the fill would leave the L2 full of written lines, and the timed kernel would pay.
  if (machine_.poison && (simulated_ || !std::exchange(is_warm_, true))) machine_.poison(runs_++);
  live_->reset();
  const double seconds = timed();
  // Before verification, which lets the GPU cool; behind the run, which it must not disturb.
  gpu_state gpu = monitor_ == nullptr ? gpu_state{} : monitor_->state();
  counters counted;
  for (const auto& [name, value] : machine_.counts()) counted["count_" + name] = value;
  outcome ended = verdict_on(*live_);
  if (ended.what == status::ok && (!std::isfinite(seconds) || seconds < 0))
    ended = {status::error, "the measured time is not a finite number of seconds"};
  if (ended.what == status::ok) ended = check_counters(counted);
  return {std::move(ended), seconds, std::move(counted), std::move(gpu)};
}

runner::run_result runner::unthrottled_run(point_record& record,
                                           const std::function<double()>& timed) {
  for (;;) {
    run_result run = verified_run(timed);
    if (monitor_ == nullptr) return run;
    add(run.gpu, record.conditions.back());
    const bool is_usable = run.gpu.throttled_by.empty();
    if (is_usable || run.outcome.what != status::ok || stop_.requested() ||
        throttled_samples(record) > most_samples_again)
      return run;
    std::this_thread::sleep_for(cooling);
  }
}

std::size_t runner::memory_in_use() const {
  return machine_.memory_in_use ? machine_.memory_in_use() : 0;
}

double runner::timed_launch() {
  return machine_.time(live_->timed_stream(), [this] { live_->launch(); });
}

}  // namespace finesync::bench
