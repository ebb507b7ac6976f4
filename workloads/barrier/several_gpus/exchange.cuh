// What shows that a barrier is one of all blocks of all GPUs: between two barriers each block
// writes a word on its own GPU and one on the next, and reads the words of all blocks on all GPUs.
#pragma once

#include <finesync/device/atomic_ref.cuh>
#include <finesync/host/launch_shape.cuh>
#include <finesync/several_gpus/symmetric_memory.cuh>
#include <finesync/several_gpus/symmetric_view.cuh>
#include <workloads/barrier/litmus.cuh>

#include <cstddef>
#include <cstdint>

namespace finesync::barrier {

/// A Work of work.cuh. A piece has a word that counts wrong reads, and two sets of words, for even
/// and odd rounds: one of each block of its own GPU, then one of each block of the GPU before.
class gpus_exchange {
 public:
  explicit gpus_exchange(const symmetric_view& gpus) : gpus_(gpus) {}

  static std::size_t words_for(const launch_shape& shape) {
    return 1 + 4 * std::size_t{shape.blocks};
  }

  template <class Participant>
  __device__ bool begin(Participant&, std::uint32_t) {
    return true;
  }
  template <class Participant>
  __device__ bool operator()(std::uint32_t round, Participant&) {
    if (round != 0) read_all(round - 1);
    rounds_ = round + 1;
    if (threadIdx.x != blockDim.x - 1) return true;
    word(gpus_.me, round, 0, blockIdx.x) = stamp(round, gpus_.me, blockIdx.x);
    word((gpus_.me + 1) % gpus_.n, round, 1, blockIdx.x) = stamp(round, gpus_.me, blockIdx.x);
    return true;
  }
  __device__ void finish() {
    read_all(rounds_ - 1);
    if (wrong_ == 0) return;
    atomic_ref<std::uint32_t, scope::device>(gpus_.at<std::uint32_t>(gpus_.me, 0))
        .fetch_add(wrong_, memory_order::relaxed);
  }

 private:
  __device__ cell<std::uint32_t>& word(unsigned gpu, std::uint32_t round, unsigned part,
                                       unsigned block) const {
    const std::size_t place = 1 + (round % 2 * 2 + part) * std::size_t{gridDim.x} + block;
    return gpus_.at<std::uint32_t>(gpu, place * sizeof(std::uint32_t));
  }
  __device__ static std::uint32_t stamp(std::uint32_t round, unsigned gpu, unsigned block) {
    return (round * symmetric_view::most + gpu) * gridDim.x + block + 1;
  }

  /// The threads of the block share the blocks of a GPU.
  __device__ void read_all(std::uint32_t round) {
    for (unsigned gpu = 0; gpu < gpus_.n; ++gpu) {
      for (unsigned block = threadIdx.x; block < gridDim.x; block += blockDim.x) {
        const std::uint32_t wanted = stamp(round, gpu, block);
        wrong_ += word(gpu, round, 0, block) != wanted;
        wrong_ += word((gpu + 1) % gpus_.n, round, 1, block) != wanted;
      }
    }
  }

  symmetric_view gpus_;
  std::uint32_t rounds_ = 0;
  std::uint32_t wrong_ = 0;
};

/// The words of the litmus test on several GPUs: those of a warp lie on one of them.
struct gpus_litmus_words {
  static constexpr scope reach = scope::system;

  symmetric_view gpus;
  std::size_t stride;  ///< from a lane's word to the next lane's; at least a line

  static std::size_t words_for(std::size_t stride) { return 2 * 32 * stride; }

  __device__ std::uint32_t block() const { return gpus.me * gridDim.x + blockIdx.x; }
  __device__ std::uint32_t blocks() const { return gpus.n * gridDim.x; }
  __device__ cell<std::uint32_t>& of(std::uint32_t half, std::uint32_t thread) const {
    const std::size_t place = (half * 32 + thread % 32) * stride + thread / 32;
    return gpus.at<std::uint32_t>(thread / 32 % gpus.n, place * sizeof(std::uint32_t));
  }
};

}  // namespace finesync::barrier
