// What a watchdog says of the wait that it ended. Host side; needs no CUDA.
#pragma once

#include "finesync/device/awaited.hpp"

#include <cstdint>
#include <optional>
#include <string>

namespace finesync {
inline namespace FINESYNC_ABI {

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
    default:
      return "something";
  }
}

/// The wait that was the first to take longer than the limit.
struct wait_report {
  unsigned block;   ///< blockIdx.x
  unsigned thread;  ///< threadIdx.x
  awaited what;
  std::optional<std::uint32_t> which = {};  ///< which lock of a table, which server
  std::uint64_t waited_ns;
  /// From the begin of this wait to that of the last wait of any thread, where one began in the
  /// second half of this: till then threads got what they waited for, and went on. Both times are
  /// right to a third of a millisecond.
  std::optional<std::uint64_t> moved_ns = {};

  /// Nobody's wait began in the second half of this one: a livelock or a deadlock. Otherwise the
  /// kernel was slow, or unfair.
  bool hung() const { return !moved_ns || *moved_ns < waited_ns / 2; }
};

/// "block 3, thread 17 waited 5000 ms for lock 7, stuck: in the second half of that nothing moved",
/// or "slow: others went on until 4998 ms of that".
inline std::string to_string(const wait_report& report) {
  std::string text = "block ";
  text.append(std::to_string(report.block)).append(", thread ");
  text.append(std::to_string(report.thread)).append(" waited ");
  text.append(std::to_string(report.waited_ns / 1'000'000)).append(" ms for ");
  text.append(to_string(report.what));
  if (report.which) text.append(" ").append(std::to_string(*report.which));
  if (report.hung()) return text.append(", stuck: in the second half of that nothing moved");
  text.append(", slow: others went on until ");
  return text.append(std::to_string(*report.moved_ns / 1'000'000)).append(" ms of that");
}

}  // namespace FINESYNC_ABI
}  // namespace finesync
