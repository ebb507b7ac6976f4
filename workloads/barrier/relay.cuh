// The work between barriers: blocks pass words on to each other, so every load checks the barrier
// before it.
#pragma once

#include <finesync/device/atomic_ref.cuh>
#include <finesync/host/buffer.cuh>
#include <finesync/host/launch.cuh>

#include <cstddef>
#include <cstdint>

namespace finesync::barrier {

/// One thread's part of words that are kept in chunks, one per block. In each step a block adds one
/// to every word of one chunk, and in the next step of another. A word must therefore hold the
/// number of the step, stored by another block in the step before. Neighbouring lanes have
/// neighbouring words.
class relay {
 public:
  relay(cell<std::uint32_t>* words, cell<std::uint64_t>* mismatches, unsigned words_per_thread)
      : words_(words), mismatches_(mismatches), words_per_thread_(words_per_thread) {}

  __device__ void pass(unsigned chunk, std::uint32_t step) {
    cell<std::uint32_t>* const first =
        words_ + std::size_t{chunk} * words_per_thread_ * blockDim.x + threadIdx.x;
    // One after the other, as in HeteroSync. Otherwise the registers that the barrier leaves free
    // would decide the number of loads in flight, and so the time between barriers.
    FINESYNC_NO_UNROLL
    for (unsigned i = 0; i < words_per_thread_; ++i) {
      cell<std::uint32_t>& word = first[std::size_t{i} * blockDim.x];
      if (word != step) ++wrong_;
      word = step + 1;
    }
  }

  __device__ void finish() {
    if (wrong_ == 0) return;
    atomic_ref<std::uint64_t, scope::device>(*mismatches_).fetch_add(wrong_, memory_order::relaxed);
  }

 private:
  cell<std::uint32_t>* words_;
  cell<std::uint64_t>* mismatches_;
  unsigned words_per_thread_;
  std::uint32_t wrong_ = 0;
};

/// Host-side owner of the words of all chunks, zero at the start.
class relay_memory {
 public:
  /// \throws std::bad_alloc if device memory is used up.
  relay_memory(const launch_shape& shape, unsigned words_per_thread);

  void reset();
  relay ref() const;

  /// Number of loads that found another number than the step's.
  std::uint64_t mismatches() const { return mismatches_.to_host()[0]; }

  /// Number of words that do not hold `steps`, the number of steps made. Runs a kernel.
  std::uint64_t unfinished(std::uint32_t steps) const;

 private:
  unsigned words_per_thread_;
  buffer<std::uint32_t> words_;
  buffer<std::uint64_t> mismatches_;
};

}  // namespace finesync::barrier
