// SPDX-License-Identifier: Apache-2.0
// The locks of a server that runs sections over two data, and its data if they are sent in
// messages. Both are in the shared memory of its block.
#pragma once

#include "finesync/device/cell.cuh"
#include "finesync/device/numbering.cuh"
#include "finesync/device/require.cuh"
#include "finesync/server/lending/protocol.cuh"
#include "finesync/server/partition/modulo.cuh"

#include <cstddef>
#include <cstdint>

namespace finesync::inline FINESYNC_ABI {
namespace detail {

/// One lock for each key of the server.
template <class Protocol, class Service>
class owned_locks {
 public:
  using datum = typename Protocol::datum;
  using lock = typename Protocol::lock;

  /// The largest number of keys per server.
  __host__ __device__ static std::uint32_t max_of_one_server(std::uint32_t keys, unsigned servers) {
    return (keys + servers - 1) / servers;
  }

  __host__ __device__ static std::size_t shared_bytes(std::uint32_t own_keys) {
    return own_keys * sizeof(typename lock::state) + data_bytes(own_keys);
  }

  /// All threads of the block construct it together; a barrier must follow.
  __device__ owned_locks(std::uint32_t keys, unsigned servers, const Service& service,
                         unsigned char* shared)
      : partition_({.servers = servers}),
        keys_(keys),
        own_keys_(max_of_one_server(keys, servers)),
        service_(service),
        data_(reinterpret_cast<cell<datum>*>(shared)),
        locks_(reinterpret_cast<typename lock::state*>(shared + data_bytes(own_keys_))) {
    auto* const words = reinterpret_cast<cell<std::uint32_t>*>(locks_);
    constexpr std::uint32_t words_of_lock = sizeof(typename lock::state) / sizeof(std::uint32_t);
    for (std::uint32_t i = thread_rank(); i < own_keys_ * words_of_lock; i += block_threads())
      words[i] = 0;  // free
    if constexpr (Protocol::passes_data)
      for_each_key(
          [&](std::uint32_t local, std::uint32_t key) { data_[local] = service_.home(key); });
  }

  /// After the last section and a barrier; called by all threads of the block.
  __device__ void write_back() {
    if constexpr (Protocol::passes_data)
      for_each_key(
          [&](std::uint32_t local, std::uint32_t key) { service_.home(key) = data_[local]; });
  }

  __device__ destination destination_of(std::uint32_t key) const {
    return partition_.destination_of(key);
  }
  __device__ std::uint32_t key_of(std::uint32_t local) const {
    return partition_.key_of(block_rank(), local);
  }

  __device__ lock lock_of(std::uint32_t local) const {
    require(local < own_keys_, "nested servers: no such key");
    return lock(locks_[local]);
  }
  /// The datum of a key of this server; the caller holds its lock.
  __device__ cell<datum>& datum_of(std::uint32_t local) const {
    if constexpr (Protocol::passes_data) return data_[local];
    return service_.home(key_of(local));
  }

 private:
  __host__ __device__ static std::size_t data_bytes(std::uint32_t own_keys) {
    return Protocol::passes_data ? (own_keys * sizeof(datum) + 3) / 4 * 4 : 0;
  }

  template <class Use>
  __device__ void for_each_key(Use use) const {
    for (std::uint32_t local = thread_rank(); local < own_keys_; local += block_threads()) {
      const std::uint32_t key = key_of(local);
      if (key < keys_) use(local, key);
    }
  }

  modulo_partition partition_;
  std::uint32_t keys_;
  std::uint32_t own_keys_;
  const Service& service_;
  cell<datum>* data_;
  typename lock::state* locks_;
};

}  // namespace detail
}  // namespace finesync::inline FINESYNC_ABI
