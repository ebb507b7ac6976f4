// What the threads of a block find in the table: each section must see one version of it.
#pragma once

#include <finesync/device/cell.cuh>
#include <finesync/device/shared_storage.cuh>

#include <cstddef>
#include <cstdint>

namespace finesync::semaphore {

/// One thread's findings. Its section adds to them.
class versions {
 public:
  static constexpr std::size_t shared_bytes = sizeof(cell<std::uint32_t>);

  /// Number of torn reads that this thread found, plus one if it saw other versions than thread 0.
  /// All threads of the block call this.
  __device__ std::uint32_t torn() const {
    auto& history_of_first = shared_storage<cell<std::uint32_t>>();
    if (threadIdx.x == 0) history_of_first = history_;
    __syncthreads();
    return torn_ + (history_of_first != history_);
  }

 protected:
  std::uint32_t torn_ = 0;     ///< sections whose words differed
  std::uint32_t history_ = 0;  ///< of all versions seen: 31 times the one before, plus the version
};

}  // namespace finesync::semaphore
