// SPDX-License-Identifier: Apache-2.0
// What the program is doing when its time is up: finesync-check asks by a signal, and the answer is
// the last that the process does.
#pragma once

#include <atomic>
#include <string>

namespace cudart {

/// From now on the signal is answered.
void answer_at_time_out();

/// While it lives, a kernel runs.
struct kernel_that_runs {
  /// \param launched where the program launches it.
  kernel_that_runs(const std::string& name, const void* launched) : name(name), launched(launched) {
    current = this;
  }
  ~kernel_that_runs() { current = nullptr; }
  kernel_that_runs(const kernel_that_runs&) = delete;
  kernel_that_runs& operator=(const kernel_that_runs&) = delete;

  const std::string& name;
  const void* const launched;
  static inline std::atomic<const kernel_that_runs*> current = nullptr;
};

}  // namespace cudart
