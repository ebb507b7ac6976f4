// The work between barriers: blocks pass words on to each other, so every load checks the barrier
// before it.
#pragma once

#include <finesync/device/atomic_ref.cuh>
#include <finesync/host/buffer.cuh>
#include <finesync/host/launch.cuh>
#include <workloads/barrier/run_config.hpp>
#include <workloads/common/half_warp_lines.cuh>

#include <cstddef>
#include <cstdint>

namespace finesync::barrier {

/// One thread's part of words that are kept in chunks, one per block. In each step a block adds one
/// to every word of one chunk, and in the next step of another. A word must therefore hold the
/// number of the step, stored by another block in the step before.
class relay {
 public:
  relay(cell<std::uint32_t>* words, cell<std::uint64_t>* mismatches, unsigned words_per_thread,
        load_order order)
      : words_(words),
        mismatches_(mismatches),
        words_per_thread_(words_per_thread),
        order_(order) {}

  __device__ void pass(unsigned chunk, std::uint32_t step) {
    if (order_ == load_order::lines) {
      using workload::half_warp_lines;
      const std::size_t words = half_warp_lines::words_of_block(blockDim.x, words_per_thread_);
      half_warp_lines(words_ + chunk * words, words_per_thread_).pass([&](std::uint32_t word) {
        check(word, step);
      });
      return;
    }
    cell<std::uint32_t>* const first =
        words_ + std::size_t{chunk} * words_per_thread_ * blockDim.x + threadIdx.x;
    if (order_ == load_order::late)
      pass_neighbours<true>(first, step);
    else
      pass_neighbours<false>(first, step);
  }

  __device__ void finish() {
    if (wrong_ == 0) return;
    atomic_ref<std::uint64_t, scope::device>(*mismatches_).fetch_add(wrong_, memory_order::relaxed);
  }

 private:
  __device__ void check(std::uint32_t found, std::uint32_t step) {
    if (found != step) ++wrong_;
  }

  /// \tparam Waits what is stored depends on what is loaded.
  template <bool Waits>
  __device__ void pass_neighbours(cell<std::uint32_t>* first, std::uint32_t step) {
    FINESYNC_NO_UNROLL
    for (unsigned i = 0; i < words_per_thread_; ++i) {
      cell<std::uint32_t>& word = first[std::size_t{i} * blockDim.x];
      const std::uint32_t found = word;
      check(found, step);
      word = (Waits ? found : step) + 1;
    }
  }

  cell<std::uint32_t>* words_;
  cell<std::uint64_t>* mismatches_;
  unsigned words_per_thread_;
  load_order order_;
  std::uint32_t wrong_ = 0;
};

/// Host-side owner of the words of all chunks, zero at the start.
class relay_memory {
 public:
  /// \throws std::bad_alloc if device memory is used up.
  relay_memory(const launch_shape& shape, unsigned words_per_thread, load_order order);

  void reset();
  relay ref() const;

  /// Number of loads that found another number than the step's.
  std::uint64_t mismatches() const { return mismatches_.to_host()[0]; }

  /// Number of words that do not hold `steps`, the number of steps made. Runs a kernel.
  std::uint64_t unfinished(std::uint32_t steps) const;

 private:
  launch_shape shape_;
  unsigned words_per_thread_;
  load_order order_;
  buffer<std::uint32_t> words_;
  buffer<std::uint64_t> mismatches_;
};

}  // namespace finesync::barrier
