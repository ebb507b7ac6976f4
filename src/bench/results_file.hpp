// The file that --benchmark_out names: complete or untouched, never half of each.
#pragma once

#include <filesystem>

namespace finesync::bench {

/// Results grow in `FILE.partial` and replace FILE when they are complete.
class results_file {
 public:
  explicit results_file(const std::filesystem::path& target);

  /// Makes sure, before anything runs, that both files can be written. FILE stays as it is; an
  /// older FILE.partial is replaced when the run begins.
  /// \throws usage_error when not, or when FILE exists and is no regular file
  void check_writable() const;

  const std::filesystem::path& target() const { return target_; }
  const std::filesystem::path& partial() const { return partial_; }

  /// Renames FILE.partial over FILE.
  /// \throws usage_error when that fails; FILE.partial then still holds the results
  void commit() const;

 private:
  std::filesystem::path target_;
  std::filesystem::path partial_;
};

}  // namespace finesync::bench
