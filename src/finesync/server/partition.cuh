// SPDX-License-Identifier: Apache-2.0
// The interface of a partition: which server owns a key. It is a parameter of server_pool
// (server_pool.cuh). A key has one server for a whole kernel, so a partition affects speed only:
// all clients wait for the server with the most requests.
//
//| modulo    key % servers (ASPLOS'19, section 3.1.1). Even for keys without gaps and without
//|           favourites.
//| range     blocks of neighbouring keys. For requests that cause requests for neighbours.
//| balanced  by a sample of the load. For keys with gaps or favourites.
//
// A partition is a trivially copyable object; the pool has memory for it:
//|  static std::size_t memory_bytes(const server_config&)
//|                                       size of that memory; zero it before a kernel
//|  X(const server_config&, unsigned char* memory)
//|  destination destination_of(std::uint32_t key) const
//|                                       the server and the key's number there, below 2^31 unless
//|                                       there is only one server
//|  std::uint32_t key_of(unsigned server, std::uint32_t local) const
//|                                       the key again
// One that samples the load has in addition (balanced.cuh):
//|  static std::size_t table_bytes(const server_config&), scratch_bytes(const server_config&)
//|                                       shared memory: kept during the kernel, and for settle()
//|  bool settle(client, bool sends, unsigned char* table, unsigned char* scratch,
//|              const watchdog_ref&)     all threads of all blocks, before any other use in the
//|                                       kernel; whether the block is a client; false when the
//|                                       watchdog ended a wait: leave the kernel
#pragma once

#include "finesync/device/platform.cuh"
#include "finesync/device/watchdog.cuh"
#include "finesync/server/request.cuh"
#include "finesync/server/server_config.cuh"

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace finesync::inline FINESYNC_ABI {

template <class Partition>
concept partition = std::is_trivially_copyable_v<Partition> &&
    std::constructible_from<Partition, const server_config&, unsigned char*> &&
    requires(const Partition of, const server_config config, std::uint32_t key, unsigned server) {
  { Partition::memory_bytes(config) } -> std::same_as<std::size_t>;
  { of.destination_of(key) } -> std::same_as<destination>;
  { of.key_of(server, key) } -> std::same_as<std::uint32_t>;
};

template <class Partition>
concept samples_load = partition<Partition> && requires(const server_config config) {
  { Partition::table_bytes(config) } -> std::same_as<std::size_t>;
  { Partition::scratch_bytes(config) } -> std::same_as<std::size_t>;
};

/// A client block's outbox for requests that go where a partition says.
template <class Outbox, partition Partition>
class routed_outbox {
 public:
  __device__ routed_outbox(Outbox& out, const Partition& partition)
      : out_(out), partition_(partition) {}

  /// Sends a request, possibly later. Any threads of the block, converged or not.
  /// \returns false when the watchdog ended a wait for space: leave the kernel.
  template <class Argument>
  __device__ bool send(std::uint32_t key, const Argument& argument) {
    return out_.send(partition_.destination_of(key), argument);
  }

  /// Sends several requests; faster than one by one, as their round trips to the L2 overlap.
  template <class Argument, unsigned Count>
  __device__ bool send(const request<Argument> (&batch)[Count]) requires
      requires(Outbox out, const routed_request<Argument> (&routed)[1]) {
    out.send(routed);
  }
  {
    routed_request<Argument> routed[Count];
    for (unsigned i = 0; i < Count; ++i)
      routed[i] = {partition_.destination_of(batch[i].key), batch[i].argument};
    return out_.send(routed);
  }

  /// Sends a request past the buffers, for a client that waits for the reply.
  template <class Argument>
  __device__ bool send_now(std::uint32_t key, const Argument& argument) {
    return out_.send_now(partition_.destination_of(key), argument);
  }

 private:
  Outbox& out_;
  const Partition& partition_;
};

}  // namespace finesync::inline FINESYNC_ABI
