// Ends a sweep after SIGINT or SIGTERM between two repetitions, not in the middle of a file.
#pragma once

#include <csignal>

namespace finesync::bench {

/// While one lives, it records the first SIGINT or SIGTERM; the second kills as usual. At most one
/// at a time in a process.
class stop_signal {
 public:
  stop_signal();
  ~stop_signal();
  stop_signal(const stop_signal&) = delete;
  stop_signal& operator=(const stop_signal&) = delete;

  bool requested() const { return signal() != 0; }

  /// The recorded signal, or 0.
  int signal() const;

 private:
  struct sigaction old_int_;
  struct sigaction old_term_;
};

}  // namespace finesync::bench
