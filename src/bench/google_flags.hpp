// Google Benchmark's own flags: which arguments they are, the few that the harness must know, and
// handing all of them on.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace finesync::bench {

/// The `--benchmark_*` arguments of one command line.
class google_flags {
 public:
  /// Takes the `--benchmark_*` arguments out of `arguments` and leaves the others there.
  /// \throws usage_error for a value that the harness itself can see to be unusable.
  explicit google_flags(std::vector<std::string>& arguments);

  /// The file that results go to; empty for none.
  std::string out() const { return value("benchmark_out").value_or(""); }
  /// "json", "csv" or "console".
  std::string out_format() const { return value("benchmark_out_format").value_or("json"); }
  /// What stdout gets: "console", "json" or "csv".
  std::string display_format() const { return value("benchmark_format").value_or("console"); }
  bool list_tests() const;

  /// Initializes Google Benchmark with these flags, 10 repetitions unless told otherwise, and
  /// `results` (empty for none) as the file that it writes. Once per process.
  /// \param program argv[0], which must outlive all use of Google Benchmark
  /// \throws usage_error for flags that Google Benchmark does not know or understand
  void initialize(char* program, const std::string& results) const;

 private:
  // As Google Benchmark finds it: the last argument, else the environment.
  std::optional<std::string> value(std::string_view flag) const;

  std::vector<std::string> arguments_;
};

}  // namespace finesync::bench
