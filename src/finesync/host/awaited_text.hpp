// SPDX-License-Identifier: Apache-2.0
// What a thread can wait for, in words. Host side; needs no CUDA.
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
    case awaited::event:
      return "an event";
    case awaited::queue_space:
      return "space in a queue";
    case awaited::queue_item:
      return "an item of a queue";
    case awaited::gpus:
      return "the other GPUs";
    default:
      return "something";
  }
}

/// "lock 7", "barrier 0", "permits of semaphore 2"; without an index as above.
inline std::string name_of(awaited what, const std::optional<std::uint32_t>& which) {
  std::string text = to_string(what);
  if (!which) return text;
  if (what == awaited::blocks) text = "barrier";
  if (what == awaited::event) text = "event";
  if (what == awaited::permits) text.append(" of semaphore");
  if (what == awaited::reply) text.append(" of server");
  return text.append(" ").append(std::to_string(*which));
}

}  // namespace finesync::inline FINESYNC_ABI
