// The section of HeteroSync's load (--writer grows): a share of the table for each block of an SM,
// the same shares on all SMs.
#pragma once

#include <finesync/device/atomic_ref.cuh>
#include <finesync/device/shared_storage.cuh>
#include <workloads/common/half_warp_lines.cuh>
#include <workloads/semaphore/sm_of_block.cuh>
#include <workloads/semaphore/table.hpp>
#include <workloads/semaphore/versions.cuh>

#include <cstddef>
#include <cstdint>

namespace finesync::semaphore {

/// A reader loads `ldst` words for each of its threads from its share, with a block barrier after
/// each load. A writer loads and stores those of all shares, one after another, without barriers.
/// So its section is as many times as long as the SM has blocks.
///
/// The words lie as HeteroSync's (half_warp_lines). There readers add what they load to a word in
/// shared memory; here they compare, so each write shows.
class share_of_table : public versions {
 public:
  using table_type = shares_ref;
  static constexpr bool whole_block = true;

  __device__ share_of_table(const shares_ref& table, bool writes)
      : shares_(table.words), loads_(table.ldst), written_(writes ? table.shares : 0) {
    if (!writes) shares_ += number_on_sm(table) % table.shares * words_of_share();
  }

  __device__ void operator()() {
    std::uint32_t any = 0;
    std::uint32_t all = ~0u;
    const auto see = [&](std::uint32_t word) {
      any |= word;
      all &= word;
    };
    for (unsigned share = 0; share < written_; ++share)
      half_warp_lines(shares_ + share * words_of_share(), loads_).pass(see);
    if (written_ == 0) read(see);
    torn_ += any != all;
    history_ = 31 * history_ + any;
  }

 private:
  using half_warp_lines = workload::half_warp_lines;

  __device__ std::size_t words_of_share() const {
    return half_warp_lines::words_of_block(blockDim.x, loads_);
  }

  template <class See>
  __device__ void read(See see) const {
    const half_warp_lines line(shares_, loads_);
    FINESYNC_NO_UNROLL
    for (unsigned n = loads_; n-- > 0;) {
      see(line[n]);
      __syncthreads();
    }
  }

  /// The readers of an SM number themselves; all threads of the block call this.
  __device__ static std::uint32_t number_on_sm(const shares_ref& table) {
    auto& number = shared_storage<cell<std::uint32_t>>();
    if (threadIdx.x == 0)
      number = atomic_ref<std::uint32_t, scope::device>(table.numbered[sm_of_block(table)])
                   .fetch_add(1, memory_order::relaxed);
    __syncthreads();
    return number;
  }

  cell<std::uint32_t>* shares_;  ///< the first that this block uses
  unsigned loads_;
  unsigned written_;  ///< number of shares that a writer writes; 0 for a reader
};

}  // namespace finesync::semaphore
