// SPDX-License-Identifier: Apache-2.0
// From Google Benchmark's runs to result rows, the same on the console and in files.
#pragma once

#include <bench/gpu_monitor.hpp>
#include <bench/primitive.hpp>

#include <benchmark/benchmark.h>

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace finesync::bench {

using google_run = benchmark::BenchmarkReporter::Run;

/// The work of --tune for a point.
struct tuning {
  std::vector<std::string> axes = {};  ///< chosen axes; the point has their values
  std::size_t tried = 0;               ///< points measured to choose them
};

/// The GPU during one repetition.
struct gpu_conditions {
  gpu_state kept = {};                         ///< after the sample that the row has
  std::size_t throttled_samples = 0;           ///< the kept one included, if it is throttled
  std::vector<std::string> throttled_by = {};  ///< all reasons of these samples, each once
};

/// One point to run, and its state so far.
struct point_record {
  bench::point point;
  bench::outcome outcome = {};  ///< of all its runs: the first that was not ok
  parameters inputs = {};       ///< their source; empty before the first run, or for none
  parameters effective = {};    ///< from experiment::effective_parameters()
  std::string unverified = {};  ///< from experiment::unverified()
  counters measured = {};       ///< from experiment::measure()
  exact_results computed = {};  ///< from experiment::computed(), of the last run
  std::vector<gpu_conditions> conditions = {};  ///< by repetition; empty if there is no monitor
  bool prepared = false;                        ///< warmed up and measured
  bool interrupted = false;          ///< some repetition was refused; the point gets no rows
  std::optional<tuning> tuned = {};  ///< of a point that --tune chose
  bool excluded = false;             ///< a candidate that failed while tuning; it does not run
};

/// Whether it is a failure.
inline bool has_failed(const point_record& record) {
  const status ended = record.outcome.what;
  return ended != status::ok && ended != status::skipped && ended != status::declared_wrong;
}

/// All points by benchmark name.
using point_records = std::map<std::string, point_record>;

/// Ends a repetition without a time.
/// `State` is a template parameter because the call has another name since version 1.8.
template <class State>
void skip(State& state, const outcome& why) {
  if constexpr (requires { state.SkipWithMessage(""); }) {
    if (why.what == status::skipped) return state.SkipWithMessage(to_message(why));
  }
  state.SkipWithError(to_message(why).c_str());
}

/// The outcome of one run, for any version of Google Benchmark.
outcome outcome_of(const google_run& run);

/// Whether `name` is a field of every row, and thus cannot be a counter's.
bool is_row_field(std::string_view name);

/// The rows of finished points: under the point's plain name, every number finite. Points with a
/// repetition that was not ok get no aggregates, as a median over the remaining runs is not a
/// result.
std::vector<google_run> finished_rows(const std::vector<google_run>& runs,
                                      const point_records& records);

}  // namespace finesync::bench
