// SPDX-License-Identifier: Apache-2.0
#include <bench/rows.hpp>

#include <algorithm>
#include <cmath>
#include <iterator>

namespace finesync::bench {
namespace {

// clang-format off
constexpr std::string_view row_fields[] = {
    "name", "family_index", "per_family_instance_index", "run_name", "run_type", "repetitions",
    "repetition_index", "threads", "aggregate_name", "aggregate_unit", "error_occurred",
    "error_message", "skipped", "skip_message", "iterations", "real_time", "cpu_time", "time_unit",
    "label", "primitive", "axes", "effective", "timeout", "status", "reason", "unverified",
    "time_source", "inputs", "tuned", "excluded_candidate", "bytes_per_second", "items_per_second",
    "sm_clock_mhz", "memory_clock_mhz", "power_capped", "throttled"};
// clang-format on

// The field names changed in version 1.8, hence the templates.
template <class Run>
bool run_failed(const Run& run) {
  if constexpr (requires { run.error_occurred; }) {
    return run.error_occurred;
  } else {
    return static_cast<int>(run.skipped) != 0;
  }
}

template <class Run>
const std::string& message_of(const Run& run) {
  if constexpr (requires { run.error_message; }) {
    return run.error_message;
  } else {
    return run.skip_message;
  }
}

// A spread relative to a mean of zero is undefined; later versions of Google Benchmark also say 0.
double finite(double value) {
  return std::isfinite(value) ? value : 0.0;
}

}  // namespace

outcome outcome_of(const google_run& run) {
  return run_failed(run) ? from_message(message_of(run)) : outcome{};
}

bool is_row_field(std::string_view name) {
  return std::ranges::find(row_fields, name) != std::end(row_fields);
}

std::vector<google_run> finished_rows(const std::vector<google_run>& runs,
                                      const point_records& records) {
  std::vector<google_run> rows;
  for (const google_run& run : runs) {
    const point_record& record = records.at(run.run_name.function_name);
    if (record.interrupted) continue;
    if (run.run_type == google_run::RT_Aggregate && record.outcome.what != status::ok) continue;
    rows.push_back(run);
    google_run& row = rows.back();
    row.run_name.iterations.clear();
    row.run_name.repetitions.clear();
    row.run_name.time_type.clear();
    row.real_accumulated_time = finite(row.real_accumulated_time);
    row.cpu_accumulated_time = finite(row.cpu_accumulated_time);
    for (auto& [name, counter] : row.counters) counter.value = finite(counter.value);
  }
  return rows;
}

}  // namespace finesync::bench
