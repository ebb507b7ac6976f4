// SPDX-License-Identifier: Apache-2.0
// Keys dealt to servers in turn. Interface: server/partition.cuh.
#pragma once

#include "finesync/server/partition.cuh"
#include "finesync/server/partition/fixed_divisor.cuh"

#include <cstddef>
#include <cstdint>

namespace finesync::inline FINESYNC_ABI {

/// Neighbouring keys load different servers (ASPLOS'19 section 3.1.1: data_id % num_server_TB).
class modulo_partition {
 public:
  __host__ __device__ explicit modulo_partition(const server_config& config,
                                                unsigned char* /*memory*/ = nullptr)
      : servers_(config.servers) {}

  __host__ __device__ static std::size_t memory_bytes(const server_config&) { return 0; }

  __host__ __device__ destination destination_of(std::uint32_t key) const {
    const std::uint32_t row = servers_.quotient(key);
    return {key - row * servers_.divisor(), row};
  }
  __host__ __device__ std::uint32_t key_of(unsigned server, std::uint32_t local) const {
    return local * servers_.divisor() + server;
  }

 private:
  fixed_divisor servers_;
};

}  // namespace finesync::inline FINESYNC_ABI
