// The words between synchronizations as HeteroSync lays them out: lines of 16 words. A half warp
// copies each line to the next.
#pragma once

#include <finesync/device/cell.cuh>

#include <cstddef>
#include <cstdint>

namespace finesync::workload {

/// The words of one thread: one in each of its half warp's `loads` + 1 lines.
///
/// HeteroSync copies each line to the next, the last first. It never stores the first line, so its
/// words never change. Here that line is stored too, and every word counts the passes: one more
/// store per thread, and each load shows whether it is of the right pass.
///
/// Two loads are in flight, on average as many as in what nvcc 13 makes of HeteroSync's loop.
/// Otherwise the registers that a primitive leaves free would decide their number, and so the time.
class half_warp_lines {
 public:
  static constexpr unsigned line_words = 16;

  /// Of a block's words, the one of a thread in line n.
  __host__ __device__ static constexpr std::size_t index(unsigned thread, unsigned n,
                                                         unsigned loads) {
    return (std::size_t{thread / line_words} * (loads + 1) + n) * line_words + thread % line_words;
  }
  __host__ __device__ static constexpr std::size_t words_of_block(unsigned threads,
                                                                  unsigned loads) {
    return index(threads + line_words - 1, 0, loads) / line_words * line_words;
  }

  /// \param words words_of_block(blockDim.x, loads) of a block.
  __device__ half_warp_lines(cell<std::uint32_t>* words, unsigned loads)
      : first_(words + index(threadIdx.x, 0, loads)), loads_(loads) {}

  /// The thread's word in line n, at most `loads`.
  __device__ cell<std::uint32_t>& operator[](unsigned n) const {
    return first_[std::size_t{n} * line_words];
  }

  /// Loads the words of all lines but the last, and sets those of all lines to one more.
  /// \param seen called with each word that is loaded.
  template <class Seen>
  __device__ void pass(Seen seen) const {
    const half_warp_lines& line = *this;
    unsigned n = loads_;
    std::uint32_t lower = 0;
    FINESYNC_NO_UNROLL
    for (; n >= 2; n -= 2) {
      const std::uint32_t upper = line[n - 1];
      lower = line[n - 2];
      seen(upper);
      seen(lower);
      line[n] = upper + 1;
      line[n - 1] = lower + 1;
    }
    if (n == 1) {
      lower = line[0];
      seen(lower);
      line[1] = lower + 1;
    }
    line[0] = lower + 1;
  }

 private:
  cell<std::uint32_t>* first_;
  unsigned loads_;
};

}  // namespace finesync::workload
