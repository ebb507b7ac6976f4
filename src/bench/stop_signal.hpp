// SIGINT and SIGTERM end a sweep between two repetitions instead of in the middle of a file.
#pragma once

#include <csignal>

namespace finesync::bench {

/// While one lives, the first SIGINT or SIGTERM is noted; the second kills as usual.
/// At most one at a time in a process.
class stop_signal {
 public:
  stop_signal();
  ~stop_signal();
  stop_signal(const stop_signal&) = delete;
  stop_signal& operator=(const stop_signal&) = delete;

  bool requested() const { return signal() != 0; }

  /// The noted signal, or 0.
  int signal() const;

 private:
  struct sigaction old_int_;
  struct sigaction old_term_;
};

}  // namespace finesync::bench
