#include "grid_experiment.cuh"

#include <finesync/host/gpu.cuh>
#include <workloads/common/effective_parameters.hpp>
#include <workloads/common/outcomes.hpp>
#include <workloads/common/timing.hpp>

#include <string>
#include <type_traits>

namespace finesync::barrier {

grid_experiment::grid_experiment(const run_config& config, const launch_shape& shape)
    : config_(config),
      shape_(shape),
      left_over_(1),
      grid_words_(shape, config.words_per_thread, config.order),
      sm_words_(shape, config.local_exchange ? config.words_per_thread : 0, config.order),
      neighbours_(current_gpu()),
      litmus_(shape, config.litmus.stores) {
  left_over_.fill_bytes(0);
}

void grid_experiment::reset() {
  left_over_.fill_bytes(0);
  grid_words_.reset();
  sm_words_.reset();
  neighbours_.reset();
  watchdog_.reset();
}

bench::outcome grid_experiment::verify() {
  bench::outcome ended = verify_rounds();
  for (const bool skewed : {false, true})
    if (ended.ok()) ended = verify_litmus(skewed);
  return ended;
}

std::string grid_experiment::unverified() const {
  return std::string(config_.words_per_thread == 0 ? "waits, and the" : "the") +
         " order of the last stores before a barrier, by a litmus test after each";
}

bench::outcome grid_experiment::verify_rounds() {
  stream().synchronize();
  if (const auto ended = watchdog_.report())
    return workload::timed_out(*ended, config_.rounds - left_over_.to_host()[0]);
  const std::uint64_t stale = grid_words_.mismatches();
  const std::uint64_t stale_on_sm = sm_words_.mismatches();
  const std::uint64_t unfinished =
      grid_words_.unfinished(config_.rounds) +
      sm_words_.unfinished(local_exchange::steps_per_round * config_.rounds);
  if (stale + stale_on_sm + unfinished == 0) return {};
  return {bench::status::wrong, std::to_string(stale) + " loads after a grid barrier and " +
                                    std::to_string(stale_on_sm) +
                                    " of words of an SM found another round's " + "value; " +
                                    std::to_string(unfinished) + " words are wrong at the end"};
}

bench::outcome grid_experiment::verify_litmus(bool skewed) {
  litmus_.reset();
  start_litmus(litmus_.ref(skewed));
  stream().synchronize();
  if (const auto ended = watchdog_.report()) return workload::timed_out(*ended);
  const std::uint64_t early = litmus_.early();
  if (early == 0) return {};
  return {bench::status::wrong, std::string("litmus test") + (skewed ? ", skewed" : "") + ": " +
                                    std::to_string(early) +
                                    " loads did not find what was stored before the " + "barrier"};
}

double grid_experiment::unsynchronized_seconds() {
  if (config_.overlapped())
    return workload::median_seconds([&] { reset(); }, [&] { start_without_barrier(); });
  const auto without_barrier = [&](const auto& work) {
    const auto launch = [&] {
      launch_cooperative(run_rounds<no_barrier, std::decay_t<decltype(work)>>, shape_, no_barrier{},
                         work, config_.rounds, left_over(), timeout());
    };
    return workload::median_seconds([&] { reset(); }, launch);
  };
  if (config_.local_exchange) return without_barrier(local_work());
  double seconds = 0;
  with_grid_work([&](const auto& work) { seconds = without_barrier(work); });
  return seconds;
}

bench::parameters grid_experiment::effective_parameters() const {
  bench::parameters effective = workload::parameters_of(shape_);
  workload::add_parameter(effective, "rounds", config_.rounds);
  return effective;
}

bench::counters grid_experiment::measure() {
  bench::counters seen;
  if (!current_gpu().simulated)
    seen["unsynchronized_ns_per_operation"] = unsynchronized_seconds() / config_.rounds * 1e9;
  return seen;
}

}  // namespace finesync::barrier
