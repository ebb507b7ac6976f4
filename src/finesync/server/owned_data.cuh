// SPDX-License-Identifier: Apache-2.0
// Data that a server owns while the kernel runs. No other block accesses the data of its keys, so
// the server may keep them in shared memory, next to the lock that protects them.
//
// A service opts in by naming a type and the home of its values (their place in global memory):
//
//|    using owned = std::uint32_t;                                  // 1 to 16 bytes
//|    __device__ cell<std::uint32_t>& home(std::uint32_t key) const { return heads[key]; }
//|    __device__ void operator()(cell<owned>& value)                // of its sections
//
// Participants: threads of the server block, each holding the lock of the line that it uses.
// Ordering: the lock's, also for the home: the lock holder fills and empties the line.
// Traffic: one load and one store per key, more only where keys share a line.
// Contract: the home is out of date until the kernel has ended.
#pragma once

#include "finesync/device/cell.cuh"
#include "finesync/device/numbering.cuh"
#include "finesync/server/partition.cuh"

#include <cstddef>
#include <cstdint>

namespace finesync::inline FINESYNC_ABI {

template <class Service>
concept keeps_owned_data = requires {
  typename Service::owned;
};

/// One line per lock, direct-mapped like the locks.
template <keeps_owned_data Service, partition Partition>
class owned_data {
 public:
  using value = typename Service::owned;

  __host__ __device__ static constexpr std::size_t shared_bytes(unsigned lines) {
    return value_bytes(lines) + lines * sizeof(std::uint32_t);
  }

  /// All threads of the block construct it together; a barrier must follow.
  __device__ owned_data(unsigned lines, unsigned server, const Partition& partition,
                        unsigned char* shared)
      : lines_(lines),
        server_(server),
        partition_(partition),
        values_(reinterpret_cast<cell<value>*>(shared)),
        tags_(reinterpret_cast<cell<std::uint32_t>*>(shared + value_bytes(lines))) {
    for (unsigned i = thread_rank(); i < lines; i += block_threads()) tags_[i] = empty;
  }

  /// The value of a key; its place is stable while the caller holds the key's lock.
  __device__ cell<value>& fetch(Service& service, std::uint32_t local) {
    const unsigned line = local & (lines_ - 1);
    const std::uint32_t before = tags_[line];
    if (before != local) {
      if (before != empty) home(service, before) = values_[line];
      values_[line] = home(service, local);
      tags_[line] = local;
    }
    return values_[line];
  }

  /// Writes all values to their homes. All threads of the block, after a barrier that follows the
  /// last section.
  __device__ void write_back(Service& service) {
    for (unsigned line = thread_rank(); line < lines_; line += block_threads()) {
      const std::uint32_t local = tags_[line];
      if (local != empty) home(service, local) = values_[line];
    }
  }

 private:
  __host__ __device__ static constexpr std::size_t value_bytes(unsigned lines) {
    return (lines * sizeof(value) + 3) / 4 * 4;  // aligns the tags
  }

  static constexpr std::uint32_t empty = 0xffffffffu;

  __device__ cell<value>& home(Service& service, std::uint32_t local) const {
    return service.home(partition_.key_of(server_, local));
  }

  unsigned lines_;
  unsigned server_;
  Partition partition_;
  cell<value>* values_;
  cell<std::uint32_t>* tags_;
};

}  // namespace finesync::inline FINESYNC_ABI
