// SPDX-License-Identifier: Apache-2.0
// Neighbouring keys on one server. Interface: server/partition.cuh.
#pragma once

#include "finesync/server/partition.cuh"
#include "finesync/server/partition/fixed_divisor.cuh"

#include <cstddef>
#include <cstdint>

namespace finesync::inline FINESYNC_ABI {

/// Equal ranges of the keys below config.keys, the last one shorter.
class range_partition {
 public:
  __host__ __device__ explicit range_partition(const server_config& config,
                                               unsigned char* /*memory*/ = nullptr)
      : length_(keys_per_server(config)) {}

  __host__ __device__ static std::size_t memory_bytes(const server_config&) { return 0; }

  __host__ __device__ destination destination_of(std::uint32_t key) const {
    const std::uint32_t server = length_.quotient(key);
    return {server, key - server * length_.divisor()};
  }
  __host__ __device__ std::uint32_t key_of(unsigned server, std::uint32_t local) const {
    return server * length_.divisor() + local;
  }

 private:
  __host__ __device__ static std::uint32_t keys_per_server(const server_config& config) {
    const std::uint32_t rounded_down = config.keys / config.servers;
    return rounded_down + (config.keys % config.servers != 0 || rounded_down == 0 ? 1 : 0);
  }

  fixed_divisor length_;
};

}  // namespace finesync::inline FINESYNC_ABI
