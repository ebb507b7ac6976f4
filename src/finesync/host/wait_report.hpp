// The report of the wait that a watchdog ended. Host side; needs no CUDA.
#pragma once

#include "finesync/device/awaited.hpp"

#include <cstdint>
#include <optional>
#include <string>

namespace finesync::inline FINESYNC_ABI {

inline std::string to_string(awaited what) {
  switch (what) {
    case awaited::lock:
      return "lock";
    case awaited::release:
      return "release";
    case awaited::permits:
      return "permits";
    case awaited::blocks:
      return "the other blocks";
    case awaited::blocks_of_sm:
      return "the other blocks of its SM";
    case awaited::ring:
      return "space in the ring of server";
    case awaited::requests:
      return "requests";
    case awaited::reply:
      return "a reply";
    case awaited::token:
      return "a token";
    case awaited::empty_channel:
      return "a channel to be empty";
    case awaited::queue_space:
      return "space in a queue";
    case awaited::queue_item:
      return "an item of a queue";
    default:
      return "something";
  }
}

/// The first wait that exceeded the limit.
struct wait_report {
  unsigned block;   ///< blockIdx.x
  unsigned thread;  ///< threadIdx.x
  awaited what;
  std::optional<std::uint32_t> which = {};  ///< index of the lock or the server
  std::uint64_t waited_ns;
  /// Time from the start of this wait to the last progress of another thread, if there was any in
  /// the second half of this wait. Both times are right to a third of a millisecond.
  std::optional<std::uint64_t> last_progress_ns = {};

  /// No thread made progress in the second half of this wait: a livelock or a deadlock. Otherwise
  /// the kernel was slow, or unfair.
  bool hung() const { return !last_progress_ns || *last_progress_ns < waited_ns / 2; }
};

/// "block 3, thread 17 timed out after 5000 ms waiting for lock 7; other threads were still making
/// progress at 4998 ms", or "...; no thread made progress in the second half of the wait".
inline std::string to_string(const wait_report& report) {
  std::string text = "block ";
  text.append(std::to_string(report.block)).append(", thread ");
  text.append(std::to_string(report.thread)).append(" timed out after ");
  text.append(std::to_string(report.waited_ns / 1'000'000)).append(" ms waiting for ");
  text.append(to_string(report.what));
  if (report.which) text.append(" ").append(std::to_string(*report.which));
  if (report.hung()) return text.append("; no thread made progress in the second half of the wait");
  text.append("; other threads were still making progress at ");
  return text.append(std::to_string(*report.last_progress_ns / 1'000'000)).append(" ms");
}

}  // namespace finesync::inline FINESYNC_ABI
