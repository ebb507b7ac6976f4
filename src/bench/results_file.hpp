// SPDX-License-Identifier: Apache-2.0
// The file named by --benchmark_out: complete or unchanged, never partly written.
#pragma once

#include <filesystem>

namespace finesync::bench {

/// Results grow in `FILE.partial` and replace FILE when they are complete.
class results_file {
 public:
  explicit results_file(const std::filesystem::path& target);
  ~results_file();
  results_file(const results_file&) = delete;
  results_file& operator=(const results_file&) = delete;

  /// Checks, before any run, that both files can be written, and keeps FILE.partial to this process
  /// while it lives. FILE is unchanged; the run replaces an older FILE.partial when it begins.
  /// \throws usage_error if not, if FILE exists and is not a regular file, or if another process
  /// writes FILE.partial
  void open();

  const std::filesystem::path& target() const { return target_; }
  const std::filesystem::path& partial() const { return partial_; }

  /// Renames FILE.partial to FILE, replacing it.
  /// \throws usage_error when that fails; FILE.partial then still holds the results
  void commit() const;

  /// Removes FILE.partial.
  void discard() const;

 private:
  std::filesystem::path target_;
  std::filesystem::path partial_;
  int lock_ = -1;  ///< a descriptor of FILE.partial; the system unlocks it however the process ends
};

}  // namespace finesync::bench
