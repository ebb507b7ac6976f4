// SPDX-License-Identifier: Apache-2.0
// What standard error shows while the runs go on: findings as they come, and how far it is. On a
// terminal at once, in a line that the next replaces; elsewhere if it takes long, in lines. The
// report after it is the same with and without.
#pragma once

#include <chrono>
#include <string>

namespace check {

class live_view {
 public:
  explicit live_view(unsigned runs);
  ~live_view();
  live_view(const live_view&) = delete;
  live_view& operator=(const live_view&) = delete;

  void found(const std::string& title);
  /// To be called often. \param ended runs
  void at(unsigned ended);

 private:
  std::string progress(unsigned ended, std::chrono::seconds since) const;

  using clock = std::chrono::steady_clock;
  const unsigned runs_;
  const bool is_terminal_;
  const clock::time_point began_ = clock::now();
  clock::time_point next_;  ///< when lines may be written elsewhere
  unsigned findings_ = 0;
  std::string waiting_;  ///< findings that are not shown yet
  std::string shown_;    ///< the line of a terminal
};

}  // namespace check
