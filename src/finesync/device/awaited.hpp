// What a thread can wait for, as a watchdog reports it.
#pragma once

#include "finesync/version.hpp"

#include <cstdint>

namespace finesync {
inline namespace FINESYNC_ABI {

/// What a thread waits for.
enum class awaited : std::uint32_t {
  unspecified,
  lock,
  release,       ///< of a lock or permits, where that may have to be tried again
  permits,       ///< of a semaphore
  blocks,        ///< the other blocks at a grid barrier
  blocks_of_sm,  ///< the other blocks of its SM at a barrier
  ring,          ///< space in the ring of a synchronization server
  requests,      ///< requests to a synchronization server
  reply,         ///< a server's answer
  token,         ///< in a channel
  empty_channel,
};

}  // namespace FINESYNC_ABI
}  // namespace finesync
