// The file named by --benchmark_out: complete or unchanged, never partly written.
#pragma once

#include <filesystem>

namespace finesync::bench {

/// Results grow in `FILE.partial` and replace FILE when they are complete.
class results_file {
 public:
  explicit results_file(const std::filesystem::path& target);

  /// Checks, before any run, that both files can be written. FILE is unchanged; the run replaces an
  /// older FILE.partial when it begins.
  /// \throws usage_error if not, or if FILE exists and is not a regular file
  void check_writable() const;

  const std::filesystem::path& target() const { return target_; }
  const std::filesystem::path& partial() const { return partial_; }

  /// Renames FILE.partial to FILE, replacing it.
  /// \throws usage_error when that fails; FILE.partial then still holds the results
  void commit() const;

 private:
  std::filesystem::path target_;
  std::filesystem::path partial_;
};

}  // namespace finesync::bench
