// SPDX-License-Identifier: Apache-2.0
// How rows reach the console and Google Benchmark's own file formats.
#pragma once

#include <bench/rows.hpp>

#include <benchmark/benchmark.h>

#include <memory>
#include <string>
#include <vector>

namespace finesync::bench {

/// Passes finished rows on to one of Google Benchmark's reporters, without further repetitions of a
/// failure.
class row_filter : public benchmark::BenchmarkReporter {
 public:
  enum class pace {
    every_point,  ///< rows are passed on as points finish
    at_the_end,   ///< all at once: CSV needs every counter's name for its first line
  };

  /// \param target must outlive this
  row_filter(benchmark::BenchmarkReporter& target, const point_records& records, pace when);

  bool ReportContext(const Context& context) override;
  void ReportRuns(const std::vector<Run>& runs) override;
  void Finalize() override;

  /// Whether all rows were written; known after Finalize().
  bool good() const { return good_; }

 private:
  void forward(const std::vector<Run>& rows);

  benchmark::BenchmarkReporter& target_;
  const point_records& records_;
  pace pace_;
  std::vector<Run> waiting_;
  bool good_ = true;
};

/// When a row_filter must pass rows on to Google Benchmark's reporter for `format`.
row_filter::pace pace_for(const std::string& format);

/// Google Benchmark's own reporter for a file in `format`, "csv" or "console".
std::unique_ptr<benchmark::BenchmarkReporter> google_file_reporter(const std::string& format);

}  // namespace finesync::bench
