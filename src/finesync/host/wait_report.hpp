// SPDX-License-Identifier: Apache-2.0
// The report of the wait that a watchdog ended. Host side; needs no CUDA.
#pragma once

#include "finesync/device/awaited.hpp"
#include "finesync/host/awaited_text.hpp"
#include "finesync/host/waiting_blocks.hpp"

#include <cstdint>
#include <optional>
#include <string>

namespace finesync::inline FINESYNC_ABI {

/// The first wait that exceeded the limit.
struct wait_report {
  unsigned block;   ///< its block_rank()
  unsigned thread;  ///< its thread_rank()
  awaited what;
  std::optional<std::uint32_t> which = {};  ///< index of the lock or the server
  std::uint64_t waited_ns;
  /// Time from the start of this wait to the last progress of another thread, if there was any in
  /// the second half of this wait. Both times are right to a third of a millisecond.
  std::optional<std::uint64_t> last_progress_ns = {};
  waiting_blocks all = {};  ///< who else waited when this wait timed out

  /// No thread made progress in the second half of this wait: a livelock or a deadlock. Otherwise
  /// the kernel was slow, or unfair.
  bool hung() const { return !last_progress_ns || *last_progress_ns < waited_ns / 2; }
};

/// "block 3, thread 17 timed out after 5000 ms waiting for lock 7; other threads were still making
/// progress at 4998 ms", or "...; no thread made progress in the second half of the wait"; then who
/// waits for whom.
inline std::string to_string(const wait_report& report) {
  std::string text = "block ";
  text.append(std::to_string(report.block)).append(", thread ");
  text.append(std::to_string(report.thread)).append(" timed out after ");
  text.append(std::to_string(report.waited_ns / 1'000'000)).append(" ms waiting for ");
  text.append(name_of(report.what, report.which));
  if (report.hung()) {
    text.append("; no thread made progress in the second half of the wait");
  } else {
    text.append("; other threads were still making progress at ");
    text.append(std::to_string(*report.last_progress_ns / 1'000'000)).append(" ms");
  }
  const std::string others = to_string(report.all);
  return others.empty() ? text : text.append("; ").append(others);
}

}  // namespace finesync::inline FINESYNC_ABI
