// SPDX-License-Identifier: Apache-2.0
#include <bench/json_reporter.hpp>
#include <bench/reporters.hpp>
#include <bench/runner.hpp>
#include <bench/stop_signal.hpp>
#include <bench/sweep.hpp>
#include <bench/usage_error.hpp>

#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>

namespace finesync::bench {
namespace {

void announce(const gpu_properties& gpu, const std::string& display_format) {
  // With JSON or CSV on stdout, nothing else may go there.
  std::FILE* out = display_format == "console" ? stdout : stderr;
  const std::string line =
      gpu.simulated
          ? fmt::format("machine: {}, {} SMs, simulated on the host; times are not GPU times\n",
                        gpu.name, gpu.sms)
          : fmt::format("machine: gpu {}, {} SMs, compute capability {}; times from CUDA events\n",
                        gpu.name, gpu.sms, gpu.compute_capability);
  std::fputs(line.c_str(), out);
  std::fflush(out);
}

// The points with rows, in the order of the rows.
struct run_list {
  std::vector<std::string> names = {};
  point_records records = {};
};

run_list make_list(const sweep& asked, runner& runs, const stop_signal& stop) {
  std::vector<point_record> to_run;
  if (asked.tune) {
    to_run = tune(asked.declared.name, asked.points, runs, stop);
  } else {
    for (const untuned_point& each : asked.points) to_run.push_back({each.start});
  }
  run_list list;
  for (point_record& each : to_run) {
    list.names.push_back(each.point.name(asked.declared.name));
    list.records.emplace(list.names.back(), std::move(each));
  }
  return list;
}

void register_points(run_list& list, runner& runs) {
  for (const std::string& each : list.names) {
    auto& [name, record] = *list.records.find(each);
    benchmark::RegisterBenchmark(
        name.c_str(), [&runs, &record](benchmark::State& state) { runs.repetition(state, record); })
        ->UseManualTime()
        ->Iterations(1);
  }
}

void check_written(bool good, const results_file& results) {
  if (!good) throw usage_error("could not write all of " + results.partial().string());
}

// Runs the registered points; with a results file, writes FILE.partial.
void run_points(const sweep& asked, const point_records& records) {
  const std::string display_format = asked.flags.display_format();
  row_filter display(*benchmark::CreateDefaultDisplayReporter(), records, pace_for(display_format));
  if (!asked.results) {
    benchmark::RunSpecifiedBenchmarks(&display, nullptr, ".");
  } else if (const std::string format = asked.flags.out_format(); format == "json") {
    json_reporter file(provenance(asked.facts), std::string(time_source(asked.facts.gpu)), records);
    benchmark::RunSpecifiedBenchmarks(&display, &file, ".");
    if (file.is_empty()) asked.results->discard();
    check_written(file.good(), *asked.results);
  } else {
    const auto google = google_file_reporter(format);
    row_filter file(*google, records, pace_for(format));
    benchmark::RunSpecifiedBenchmarks(&display, &file, ".");
    check_written(file.good(), *asked.results);
  }
}

std::ptrdiff_t count_points(const point_records& records, bool (*wanted)(const point_record&)) {
  return std::count_if(records.begin(), records.end(),
                       [&](const auto& entry) { return wanted(entry.second); });
}

bool is_finished(const point_record& record) {
  return !record.interrupted;
}
bool is_infeasible(const point_record& record) {
  return record.outcome.what == status::skipped;
}

std::string place_of_results(const sweep& asked) {
  return asked.results ? " in " + asked.results->partial().string() : "";
}

std::string last_words(const sweep& asked) {
  return fmt::format(
      "{}: interrupted in the middle of a point, the points before it are finished{}\n",
      asked.declared.name, place_of_results(asked));
}

int finish_interrupted(const sweep& asked, const point_records& records, int signal) {
  fmt::print(stderr, "{}: interrupted, {} of {} points are finished{}\n", asked.declared.name,
             count_points(records, is_finished), records.size(), place_of_results(asked));
  return 128 + signal;
}

// Of a process that can run no further point, which a line says.
int finish_early(const sweep& asked, const point_records& records, const dead_end& end) {
  const auto finished = count_points(records, is_finished);
  if (finished == 0 && asked.results) asked.results->discard();
  print_error(asked.declared.name,
              finished == 0 ? end.why
                            : fmt::format("{}; {} of {} points are finished{}", end.why, finished,
                                          records.size(), place_of_results(asked)));
  return end.exit_status;
}

// The exit status of a finished sweep; prints one line about failures.
int conclude(const sweep& asked, const run_list& list) {
  const point_records& records = list.records;
  const std::string& program = asked.declared.name;
  const auto first = [&](bool (*wanted)(const point_record&)) {
    return *std::find_if(list.names.begin(), list.names.end(),
                         [&](const std::string& each) { return wanted(records.at(each)); });
  };
  if (const auto failures = count_points(records, has_failed); failures > 0) {
    const std::string name = first(has_failed);
    print_error(program, fmt::format("{} of {} points failed, first {}: {}", failures,
                                     records.size(), name, to_message(records.at(name).outcome)));
    return 1;
  }
  if (count_points(records, is_infeasible) == static_cast<std::ptrdiff_t>(records.size())) {
    print_error(program, records.at(first(is_infeasible)).outcome.reason);
    return 2;
  }
  return 0;
}

}  // namespace

int run_sweep(const sweep& asked) {
  announce(asked.facts.gpu, asked.flags.display_format());
  const stop_signal stop(last_words(asked));
  runner runs(asked.declared.primitives, asked.machine, asked.facts.gpu.simulated, stop,
              asked.monitor);
  run_list list = make_list(asked, runs, stop);
  const point_records& records = list.records;
  register_points(list, runs);
  run_points(asked, records);
  benchmark::ClearRegisteredBenchmarks();
  const bool cut_short =
      count_points(records, is_finished) != static_cast<std::ptrdiff_t>(records.size());
  if (cut_short && runs.end()) return finish_early(asked, records, *runs.end());
  if (cut_short) return finish_interrupted(asked, records, stop.signal());
  if (asked.results) asked.results->commit();
  return conclude(asked, list);
}

void print_error(std::string_view program, std::string message) {
  std::replace(message.begin(), message.end(), '\n', ' ');
  fmt::print(stderr, "{}: error: {}\n", program, message);
}

}  // namespace finesync::bench
