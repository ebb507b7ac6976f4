// From Google Benchmark's runs to the rows that readers see, the same on the console and in files.
#pragma once

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

/// What --tune did for a point.
struct tuning {
  std::vector<std::string> axes = {};  ///< those that it chose; their values are the point's
  std::size_t tried = 0;               ///< points measured to choose them
};

/// One point to run and what has become of it so far.
struct point_record {
  bench::point point;
  bench::outcome outcome = {};       ///< of all its runs: the first one that was not ok
  parameters inputs = {};            ///< where they come from; empty until made, or for none
  parameters effective = {};         ///< what experiment::effective_parameters() returned
  counters measured = {};            ///< what experiment::measure() returned
  bool prepared = false;             ///< warmed up and measured
  bool interrupted = false;          ///< some repetition was refused; it gets no rows
  std::optional<tuning> tuned = {};  ///< of a point that --tune chose
  bool excluded = false;             ///< a candidate that failed while tuning; it does not run
};

/// Whether it ended in any way but well or infeasible.
inline bool has_failed(const point_record& record) {
  return record.outcome.what != status::ok && record.outcome.what != status::skipped;
}

/// All points by benchmark name.
using point_records = std::map<std::string, point_record>;

/// Ends a repetition without a time.
/// The parameter is a template parameter because the call has another name since version 1.8.
template <class State>
void skip(State& state, const outcome& why) {
  if constexpr (requires { state.SkipWithMessage(""); }) {
    if (why.what == status::skipped) return state.SkipWithMessage(to_message(why));
  }
  state.SkipWithError(to_message(why).c_str());
}

/// How one run ended, whichever version of Google Benchmark recorded it.
outcome outcome_of(const google_run& run);

/// Whether `name` is a field that every row has, and thus cannot be a counter's.
bool is_row_field(std::string_view name);

/// The rows of finished points: under the point's plain name, every number finite, and without
/// aggregates where a repetition was not ok, for a median over the lucky runs is no result.
std::vector<google_run> finished_rows(const std::vector<google_run>& runs,
                                      const point_records& records);

}  // namespace finesync::bench
