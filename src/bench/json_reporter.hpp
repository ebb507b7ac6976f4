// SPDX-License-Identifier: Apache-2.0
// Our results file: Google Benchmark's JSON with the point, its status and the provenance added.
#pragma once

#include <bench/rows.hpp>

#include <benchmark/benchmark.h>
#include <nlohmann/json.hpp>

#include <ios>
#include <string>
#include <vector>

namespace finesync::bench {

/// A file reporter for benchmark::RunSpecifiedBenchmarks. After every finished point its file is
/// complete and valid JSON of all points so far, so a killed run loses at most one point, and a
/// full file system only what no longer fits.
class json_reporter : public benchmark::BenchmarkReporter {
 public:
  /// \param provenance becomes "finesync" in the context
  /// \param time_source source of all rows' times
  /// \param records must outlive this
  json_reporter(nlohmann::ordered_json provenance, std::string time_source,
                const point_records& records);

  bool ReportContext(const Context& context) override;
  void ReportRuns(const std::vector<Run>& runs) override;

  /// Whether all rows so far reached the file.
  bool good() const { return good_; }

  /// Whether not even the context is in the file yet, which then is no JSON.
  bool is_empty() const { return end_of_rows_ == 0; }

 private:
  void append(const std::string& text);

  nlohmann::ordered_json provenance_;
  std::string time_source_;
  const point_records& records_;
  std::streamoff end_of_rows_ = 0;
  bool first_row_ = true;
  bool good_ = true;
};

/// Checks the fields that --benchmark_context adds to the context.
/// \throws usage_error for one that every results file has
void check_custom_context();

/// One row as JSON.
nlohmann::ordered_json to_json(const google_run& run, const point_record& record,
                               const std::string& time_source);

}  // namespace finesync::bench
