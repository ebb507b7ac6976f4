// SPDX-License-Identifier: Apache-2.0
// Ends a sweep after SIGINT or SIGTERM between two repetitions, not in the middle of a file.
#pragma once

#include <csignal>
#include <string>

namespace finesync::bench {

/// While one lives, it records the first SIGINT or SIGTERM; the second kills as usual. At most one
/// at a time in a process.
///
/// If the sweep does not end by itself within a second of the first, the process ends: a
/// repetition, the making of an input and a reference may take minutes, and most of that is in code
/// that cannot be asked to stop. A results file that is being written is valid at any moment.
class stop_signal {
 public:
  /// \param last_words what the process then prints to stderr
  explicit stop_signal(std::string last_words);
  ~stop_signal();
  stop_signal(const stop_signal&) = delete;
  stop_signal& operator=(const stop_signal&) = delete;

  bool requested() const { return signal() != 0; }

  /// The recorded signal, or 0.
  int signal() const;

 private:
  std::string last_words_;
  struct sigaction old_int_;
  struct sigaction old_term_;
  struct sigaction old_alarm_;
};

}  // namespace finesync::bench
