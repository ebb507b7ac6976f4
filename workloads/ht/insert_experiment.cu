#include "insert_experiment.cuh"

#include <workloads/common/grid.cuh>
#include <workloads/common/outcomes.hpp>

namespace finesync::ht {

void verified_inserts::launch() {
  switch (config_.section) {
    case section_kind::push:
      return start_pushes();
    case section_kind::empty:
      return start_empties();
    case section_kind::count:
      return start_counts();
  }
}

bench::outcome verified_inserts::verify() {
  if (config_.section == section_kind::push) return verify_pushes();
  if (config_.section == section_kind::count) return verify_counts();
  const bench::outcome counted = verify_empties();
  if (!counted.ok()) return counted;
  reset();
  start_pushes();
  return verify_pushes();
}

std::string verified_inserts::unverified() const {
  return config_.section == section_kind::empty
             ? "exclusion, by a run with sections after each with empty ones"
             : "";
}

bench::outcome verified_inserts::verify_count(std::uint64_t ran) const {
  return workload::wrong_unless(
      ran == config_.problem.inserts,
      std::to_string(ran) + " of " + std::to_string(config_.problem.inserts) + " sections ran");
}

void verified_inserts::start_empties() {
  throw bench::infeasible("this primitive has no empty sections");
}
void verified_inserts::start_counts() {
  throw bench::infeasible("this primitive has no sections that count");
}

insert_experiment::insert_experiment(const run_config& config, unsigned resident)
    : insert_experiment(config, workload::grid_of(config, resident)) {}

insert_experiment::insert_experiment(const run_config& config, const launch_shape& shape)
    : verified_inserts(config),
      shape_(shape),
      table_(config.problem),
      counters_(config.problem),
      sections_(1) {
  sections_.fill_bytes(0);
}

void insert_experiment::reset() {
  table_.reset();
  counters_.reset();
  sections_.fill_bytes(0);
  watchdog_.reset();
}

bench::outcome insert_experiment::verify_pushes() {
  collect_heads();
  stream().synchronize();
  const auto given_up = watchdog_.report();
  const table_check found = table_.check();
  if (given_up) return workload::timed_out(*given_up, found.found);
  return workload::wrong_unless(found.passed(config().problem), found.describe(config().problem));
}

bench::outcome insert_experiment::verify_counts() {
  stream().synchronize();
  const counters_check found = counters_.check();
  if (const auto given_up = watchdog_.report())
    return workload::timed_out(*given_up, found.counted);
  return workload::wrong_unless(found.passed(config().problem), found.describe(config().problem));
}

bench::outcome insert_experiment::verify_empties() {
  stream().synchronize();
  const std::uint64_t ran = sections_.to_host()[0];
  if (const auto given_up = watchdog_.report()) return workload::timed_out(*given_up, ran);
  return verify_count(ran);
}

}  // namespace finesync::ht
