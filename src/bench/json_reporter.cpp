// SPDX-License-Identifier: Apache-2.0
#include <bench/json_reporter.hpp>
#include <bench/provenance.hpp>
#include <bench/usage_error.hpp>

#include <cstddef>
#include <map>
#include <ostream>
#include <string>
#include <utility>

namespace finesync::bench {
namespace {

using json = nlohmann::ordered_json;

// Behind the last row of a write. SIGKILL may end a write between two pages; a reader then knows by
// the mark which rows were written before (scripts/finesync/results/partial_file.py).
constexpr const char* end_of_write = "\t";

constexpr const char* end_of_file = "\n  ]\n}\n";

// Reasons may quote any text; invalid UTF-8 must not cost the file.
std::string to_text(const json& value, int indentation) {
  return value.dump(indentation, ' ', false, json::error_handler_t::replace);
}

json google_context(const benchmark::BenchmarkReporter::Context& context) {
  json result;
  result["date"] = current_date();
  result["host_name"] = context.sys_info.name;
  result["executable"] = benchmark::BenchmarkReporter::Context::executable_name;
  result["num_cpus"] = context.cpu_info.num_cpus;
  result["mhz_per_cpu"] = static_cast<long long>(context.cpu_info.cycles_per_second / 1e6 + 0.5);
  if (context.cpu_info.scaling != benchmark::CPUInfo::UNKNOWN)
    result["cpu_scaling_enabled"] = context.cpu_info.scaling == benchmark::CPUInfo::ENABLED;
  result["caches"] = json::array();
  for (const auto& cache : context.cpu_info.caches)
    result["caches"].push_back({{"type", cache.type},
                                {"level", cache.level},
                                {"size", cache.size},
                                {"num_sharing", cache.num_sharing}});
  result["load_avg"] = context.cpu_info.load_avg;
#ifdef NDEBUG
  result["library_build_type"] = "release";
#else
  result["library_build_type"] = "debug";
#endif
  result["json_schema_version"] = 1;  // Google Benchmark's
  return result;
}

// The fields of --benchmark_context.
std::map<std::string, std::string> custom_context() {
  const auto* const custom = benchmark::internal::GetGlobalContext();
  return custom == nullptr ? std::map<std::string, std::string>() : *custom;
}

constexpr const char* own_context = "finesync";

void add_times(json& row, const google_run& run) {
  row["iterations"] = run.iterations;
  const bool is_ratio =
      run.run_type == google_run::RT_Aggregate && run.aggregate_unit == benchmark::kPercentage;
  row["real_time"] = is_ratio ? run.real_accumulated_time : run.GetAdjustedRealTime();
  row["cpu_time"] = is_ratio ? run.cpu_accumulated_time : run.GetAdjustedCPUTime();
  row["time_unit"] = benchmark::GetTimeUnitString(run.time_unit);
}

// The fields of Google Benchmark's own JSON, in its order.
json google_row(const google_run& run, const outcome& ended) {
  const bool is_aggregate = run.run_type == google_run::RT_Aggregate;
  json row;
  row["name"] = run.benchmark_name();
  row["family_index"] = run.family_index;
  row["per_family_instance_index"] = run.per_family_instance_index;
  row["run_name"] = run.run_name.str();
  row["run_type"] = is_aggregate ? "aggregate" : "iteration";
  row["repetitions"] = run.repetitions;
  if (!is_aggregate) row["repetition_index"] = run.repetition_index;
  row["threads"] = run.threads;
  if (is_aggregate) {
    row["aggregate_name"] = run.aggregate_name;
    row["aggregate_unit"] = run.aggregate_unit == benchmark::kTime ? "time" : "percentage";
  }
  if (ended.what == status::skipped) {
    row["skipped"] = true;
    row["skip_message"] = to_message(ended);
  } else if (ended.what != status::ok) {
    row["error_occurred"] = true;
    row["error_message"] = to_message(ended);
  }
  add_times(row, run);
  for (const auto& [name, counter] : run.counters) row[name] = counter.value;
  if (!run.report_label.empty()) row["label"] = run.report_label;
  return row;
}

// The value's name if it has one, else its number.
json to_json(const setting& which) {
  const std::string text = which.text();
  return text == std::to_string(which.value) ? json(which.value) : json(text);
}

void add(json& row, const gpu_conditions& during) {
  if (during.kept.sm_clock_mhz > 0) row["sm_clock_mhz"] = during.kept.sm_clock_mhz;
  if (during.kept.memory_clock_mhz > 0) row["memory_clock_mhz"] = during.kept.memory_clock_mhz;
  if (during.kept.power_capped) row["power_capped"] = true;
  if (during.throttled_samples > 0)
    row["throttled"] = {{"by", during.throttled_by},
                        {"samples", during.throttled_samples},
                        {"kept", !during.kept.throttled_by.empty()}};
}

json describe(const tuning& tuned, const point& chosen) {
  json axes = json::object();
  for (const std::string& name : tuned.axes)
    axes[identifier(name)] = to_json(chosen.setting_of(name));
  return {{"axes", axes}, {"candidates_tried", tuned.tried}};
}

}  // namespace

json_reporter::json_reporter(nlohmann::ordered_json provenance, std::string time_source,
                             const point_records& records)
    : provenance_(std::move(provenance)), time_source_(std::move(time_source)), records_(records) {}

bool json_reporter::ReportContext(const Context& context) {
  json all = google_context(context);
  for (const auto& [key, value] : custom_context()) all[key] = value;
  all[own_context] = provenance_;
  append("{\n\"context\": " + to_text(all, 2) + ",\n\"benchmarks\": [");
  return true;
}

void json_reporter::ReportRuns(const std::vector<Run>& runs) {
  std::string text;
  for (const google_run& run : finished_rows(runs, records_)) {
    text += first_row_ ? "\n" : ",\n";
    text += to_text(to_json(run, records_.at(run.run_name.function_name), time_source_), -1);
    first_row_ = false;
  }
  if (!text.empty()) append(text + end_of_write);
}

void json_reporter::append(const std::string& text) {
  if (!good_) return;
  std::ostream& out = GetOutputStream();
  const std::string all = text + end_of_file;
  // Blanks first: they take the room, and if there is none, the file still ends as JSON may.
  out.seekp(0, std::ios::end);
  out << std::string(is_empty() ? all.size() : text.size(), ' ') << std::flush;
  // Overwrites the closing brackets and writes new ones, in one write.
  if (out) out.seekp(end_of_rows_) << all << std::flush;
  good_ = out.good();
  if (good_) end_of_rows_ += static_cast<std::streamoff>(text.size());
}

void check_custom_context() {
  const json every = google_context(benchmark::BenchmarkReporter::Context());
  for (const auto& [key, value] : custom_context())
    if (every.contains(key) || key == own_context)
      throw usage_error("--benchmark_context: '" + key + "' is a field of every results file");
}

nlohmann::ordered_json to_json(const google_run& run, const point_record& record,
                               const std::string& time_source) {
  const outcome ended = outcome_of(run);
  json row = google_row(run, ended);
  // Counters are floating-point numbers, which do not hold every integer.
  const bool is_spread = run.aggregate_name == "stddev" || run.aggregate_name == "cv";
  if (ended.ok() && !is_spread)
    for (const auto& [name, value] : record.computed) row[name] = value;
  row["primitive"] = record.point.primitive();
  row["axes"] = json::object();
  for (const setting& each : record.point.settings())
    row["axes"][identifier(each.axis)] = to_json(each);
  if (ended.ok() || !record.effective.empty()) row["effective"] = to_json(record.effective);
  row["status"] = to_string(ended.what);
  if (ended.what != status::ok) row["reason"] = ended.reason;
  // Of several GPUs only the reason tells who waited.
  if (ended.what == status::timeout && !record.outcome.details.empty())
    row["timeout"] = to_json(record.outcome.details);
  if (!record.unverified.empty()) row["unverified"] = record.unverified;
  row["time_source"] = time_source;
  if (run.run_type == google_run::RT_Iteration && !record.conditions.empty())
    add(row, record.conditions.at(static_cast<std::size_t>(run.repetition_index)));
  if (!record.inputs.empty()) row["inputs"] = to_json(record.inputs);
  if (record.tuned) row["tuned"] = describe(*record.tuned, record.point);
  if (record.excluded) row["excluded_candidate"] = true;
  return row;
}

}  // namespace finesync::bench
