// The sections that run while a block holds permits.
#pragma once

#include <finesync/device/atomic_ref.cuh>
#include <finesync/semaphores/semaphore.cuh>
#include <workloads/semaphore/table.hpp>
#include <workloads/semaphore/versions.cuh>

#include <cstddef>
#include <cstdint>

namespace finesync::semaphore {

/// ldst 0: only thread 0 reads two words, each on its own line, and a writer writes both.
class two_words {
 public:
  using table_type = table_ref;
  static constexpr std::size_t second = line_bytes / sizeof(std::uint32_t);
  static constexpr std::size_t words = second + 1;
  static constexpr bool whole_block = false;
  static constexpr std::size_t shared_bytes = 0;

  __device__ two_words(const table_ref& table, bool writes)
      : first_(table.words[0]), second_(table.words[second]), writes_(writes) {}

  __device__ void operator()() {
    const std::uint32_t version = first_;
    const std::uint32_t same = second_;
    torn_ += version != same;
    if (writes_) {
      first_ = version + 1;
      second_ = same + 1;
    }
  }

  /// Number of torn reads that this thread found.
  __device__ std::uint32_t torn() const { return torn_; }

 private:
  cell<std::uint32_t>& first_;
  cell<std::uint32_t>& second_;
  bool writes_;
  std::uint32_t torn_ = 0;
};

/// ldst n: all threads of the block load n words each, and a writer's threads store them.
///
/// Four loads are in flight at a time. Otherwise the registers that the semaphore leaves free would
/// decide how many loads the compiler overlaps, and so the time of the section.
class all_words : public versions {
 public:
  using table_type = table_ref;
  static constexpr unsigned in_flight = 4;
  static constexpr bool whole_block = true;

  __device__ all_words(const table_ref& table, bool writes)
      : mine_(table.words + threadIdx.x), count_(table.ldst), writes_(writes) {}

  __device__ void operator()() {
    const std::uint32_t version = mine_[0];
    std::uint32_t others = 0;
    unsigned i = 1;
    FINESYNC_NO_UNROLL
    for (; i + in_flight <= count_; i += in_flight) {
      std::uint32_t loaded[in_flight];
      for (unsigned k = 0; k < in_flight; ++k) loaded[k] = mine_[(i + k) * blockDim.x];
      for (const std::uint32_t other : loaded) others |= other ^ version;
    }
    FINESYNC_NO_UNROLL
    for (; i < count_; ++i) others |= mine_[i * blockDim.x] ^ version;
    torn_ += others != 0;
    history_ = 31 * history_ + version;
    if (!writes_) return;
    FINESYNC_NO_UNROLL
    for (unsigned k = 0; k < count_; ++k) mine_[k * blockDim.x] = version + 1;
  }

 private:
  cell<std::uint32_t>* mine_;
  unsigned count_;
  bool writes_;
};

}  // namespace finesync::semaphore
