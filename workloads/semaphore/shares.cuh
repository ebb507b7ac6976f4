// The section of HeteroSync's load (--writer grows): a share of the table for each block of an SM,
// the same shares on all SMs.
#pragma once

#include <finesync/device/atomic_ref.cuh>
#include <finesync/device/shared_storage.cuh>
#include <workloads/semaphore/sm_of_block.cuh>
#include <workloads/semaphore/table.hpp>
#include <workloads/semaphore/versions.cuh>

#include <cstddef>
#include <cstdint>

namespace finesync::semaphore {

/// A reader loads the `ldst` words of each of its threads in its share, with a block barrier after
/// each load. A writer loads and stores those of all shares, one after another, without barriers.
/// So its section is as many times as long as the SM has blocks.
///
/// In HeteroSync a writer copies each word to the next, and readers add what they load to a word in
/// shared memory. Here a writer adds 1 to each word, and readers compare: as many loads and stores
/// of global memory, of as many lines, and each write shows.
class share_of_table : public versions {
 public:
  using table_type = shares_ref;
  static constexpr bool whole_block = true;

  __device__ share_of_table(const shares_ref& table, bool writes)
      : mine_(table.words + threadIdx.x), count_(table.ldst), writes_(writes) {
    if (writes) {
      count_ *= table.shares;
    } else {
      mine_ += std::size_t{number_on_sm(table) % table.shares} * count_ * blockDim.x;
    }
  }

  __device__ void operator()() {
    std::uint32_t any = 0;
    std::uint32_t all = ~0u;
    FINESYNC_NO_UNROLL
    for (unsigned i = 0; i < count_; ++i) {
      const std::uint32_t word = mine_[i * blockDim.x];
      any |= word;
      all &= word;
      if (writes_) {
        mine_[i * blockDim.x] = word + 1;
      } else {
        __syncthreads();
      }
    }
    torn_ += any != all;
    history_ = 31 * history_ + any;
  }

 private:
  /// The readers of an SM number themselves; all threads of the block call this.
  __device__ static std::uint32_t number_on_sm(const shares_ref& table) {
    auto& number = shared_storage<cell<std::uint32_t>>();
    if (threadIdx.x == 0)
      number = atomic_ref<std::uint32_t, scope::device>(table.numbered[sm_of_block(table)])
                   .fetch_add(1, memory_order::relaxed);
    __syncthreads();
    return number;
  }

  cell<std::uint32_t>* mine_;
  unsigned count_;
  bool writes_;
};

}  // namespace finesync::semaphore
