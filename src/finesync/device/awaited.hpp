// SPDX-License-Identifier: Apache-2.0
// What a thread can wait for, as reported by a watchdog.
#pragma once

#include "finesync/version.hpp"

#include <cstdint>

namespace finesync::inline FINESYNC_ABI {

enum class awaited : std::uint32_t {
  unspecified,
  lock,
  release,       ///< of a lock or permits, if it may need retries
  permits,       ///< permits of a semaphore
  blocks,        ///< the other blocks at a grid barrier
  blocks_of_sm,  ///< the other blocks of the SM at a barrier
  ring,          ///< space in the ring of a synchronization server
  requests,      ///< requests to a synchronization server
  reply,         ///< reply of a server
  token,         ///< token in a channel
  empty_channel,
  event,        ///< arrivals at an event, or the words of its payload
  queue_space,  ///< a free slot of a queue
  queue_item,
  gpus,  ///< the other GPUs at a barrier
};

}  // namespace finesync::inline FINESYNC_ABI
