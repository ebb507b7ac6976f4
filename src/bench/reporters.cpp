// SPDX-License-Identifier: Apache-2.0
#include <bench/reporters.hpp>

#include <algorithm>
#include <iterator>
#include <sstream>

namespace finesync::bench {
namespace {

// Google Benchmark warns if its library is a debug build, as Debian's is. That would slow down its
// own timing loop, which measures nothing here: rows have the times that experiments report.
std::string without_build_type(const std::string& message) {
  std::istringstream in(message);
  std::string kept;
  for (std::string line; std::getline(in, line);)
    if (line.find("Library was built as DEBUG") == std::string::npos) kept += line + '\n';
  return kept;
}

}  // namespace

row_filter::row_filter(benchmark::BenchmarkReporter& target, const point_records& records,
                       pace when)
    : target_(target), records_(records), pace_(when) {}

bool row_filter::ReportContext(const Context& context) {
  target_.SetOutputStream(&GetOutputStream());
  std::ostringstream messages;
  target_.SetErrorStream(&messages);
  Context shorter = context;
  shorter.name_field_width = 10;
  constexpr std::size_t longest_suffix = 7;  // "_median", "_stddev"
  for (const auto& [name, record] : records_)
    shorter.name_field_width = std::max(shorter.name_field_width, name.size() + longest_suffix);
  const bool goes_on = target_.ReportContext(shorter);
  target_.SetErrorStream(&GetErrorStream());
  GetErrorStream() << without_build_type(messages.str()) << std::flush;
  return goes_on;
}

void row_filter::ReportRuns(const std::vector<Run>& runs) {
  std::vector<Run> rows;
  for (const Run& row : finished_rows(runs, records_)) {
    // The repetitions after a failure did not run; one line reports it.
    const bool repeated = !rows.empty() && outcome_of(row).what != status::ok &&
                          outcome_of(rows.back()).what != status::ok;
    if (!repeated) rows.push_back(row);
  }
  if (pace_ == pace::every_point) {
    forward(rows);
  } else {
    std::move(rows.begin(), rows.end(), std::back_inserter(waiting_));
  }
}

void row_filter::Finalize() {
  forward(waiting_);
  waiting_.clear();
  target_.Finalize();
  good_ = GetOutputStream().flush().good();
}

void row_filter::forward(const std::vector<Run>& rows) {
  if (!rows.empty()) target_.ReportRuns(rows);
}

row_filter::pace pace_for(const std::string& format) {
  return format == "csv" ? row_filter::pace::at_the_end : row_filter::pace::every_point;
}

std::unique_ptr<benchmark::BenchmarkReporter> google_file_reporter(const std::string& format) {
  if (format == "console")
    return std::make_unique<benchmark::ConsoleReporter>(benchmark::ConsoleReporter::OO_None);
// Deprecated for years, but still the only CSV that readers of Google Benchmark's results expect.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
  return std::make_unique<benchmark::CSVReporter>();
#pragma GCC diagnostic pop
}

}  // namespace finesync::bench
