// SPDX-License-Identifier: Apache-2.0
// Google Benchmark's own flags: finds them, reads the few that the harness needs, and passes all of
// them on.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace finesync::bench {

/// The `--benchmark_*` arguments of one command line.
class google_flags {
 public:
  /// Moves the `--benchmark_*` arguments out of `arguments`.
  /// \throws usage_error for a value that the harness itself recognizes as unusable.
  explicit google_flags(std::vector<std::string>& arguments);

  /// The results file; empty for none.
  std::string out() const { return value("benchmark_out").value_or(""); }
  /// "json", "csv" or "console".
  std::string out_format() const { return value("benchmark_out_format").value_or("json"); }
  /// The format of stdout: "console", "json" or "csv".
  std::string display_format() const { return value("benchmark_format").value_or("console"); }
  bool list_tests() const;

  /// Initializes Google Benchmark with these flags, `repetitions` by default, and `results` (empty
  /// for none) as its output file. Once per process.
  /// \param program argv[0], which must outlive all use of Google Benchmark
  /// \throws usage_error for flags that Google Benchmark does not know or understand
  void initialize(char* program, const std::string& results, int repetitions) const;

 private:
  // With Google Benchmark's precedence: the last argument, else the environment.
  std::optional<std::string> value(std::string_view flag) const;

  std::vector<std::string> arguments_;
};

}  // namespace finesync::bench
