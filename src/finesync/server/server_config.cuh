// SPDX-License-Identifier: Apache-2.0
// The number of servers and the sizes of their buffers, for all message paths.
#pragma once

#include "finesync/version.hpp"

#include <bit>
#include <cstdint>
#include <stdexcept>
#include <string>

namespace finesync::inline FINESYNC_ABI {

/// Defaults as in ASPLOS'19, section 3.2.
struct server_config {
  unsigned servers = 1;   ///< server blocks, the first of the grid; the fast path with only one
                          ///< takes keys below 2^31, otherwise all 32 bits
  unsigned clients = 1;   ///< client blocks, the others
  unsigned ring = 4096;   ///< requests per ring; a power of two, 32 or more
  unsigned locks = 4096;  ///< locks in a server's shared memory; a power of two
  unsigned local_buffer = 64;  ///< requests that a client block gathers per server; a power of two,
                               ///< 32 to 2 rings
  std::uint32_t keys = 0;      ///< keys are below it; only a range_partition needs it
  unsigned gpus = 1;           ///< with a grid each, which has an equal part of the servers and
                               ///< clients (several_gpus/gpus_server_pool.cuh)
};

/// \throws std::invalid_argument with a one-line reason.
inline void check(const server_config& config) {
  const auto refuse = [](const char* what, unsigned value, const char* rule) {
    throw std::invalid_argument(std::string(what) + " " + std::to_string(value) + ": " + rule);
  };
  if (config.servers == 0 || config.servers > 65536)
    refuse("servers", config.servers, "1 to 65536 are possible");
  if (config.clients == 0) refuse("clients", config.clients, "at least one block must send");
  if (config.gpus == 0 || config.servers % config.gpus != 0 || config.clients % config.gpus != 0)
    refuse("GPUs", config.gpus, "servers and clients must be multiples of their number");
  if (config.ring < 32 || !std::has_single_bit(config.ring))
    refuse("ring", config.ring, "must be a power of two, 32 or more");
  if (config.locks == 0 || !std::has_single_bit(config.locks))
    refuse("locks", config.locks, "must be a power of two");
  if (config.local_buffer < 32 || !std::has_single_bit(config.local_buffer) ||
      config.local_buffer > 2 * config.ring)
    refuse("local buffer", config.local_buffer, "must be a power of two, 32 to two rings");
}

}  // namespace finesync::inline FINESYNC_ABI
