// A litmus test for grid barriers. The work of the timed kernel does not detect a barrier whose
// arrival releases nothing: its few stores complete long before the last block arrives. Here each
// thread stores to one word many times right before the barrier. Each warp's stores lie in 32 lines
// that other warps also store to, so they queue up. An arrival that does not wait for them
// overtakes them, and reads after the barrier find old values. How many stores show that, depends
// on the GPU and the grid: in a throw-away build on an H200, a block of 64 threads per SM was found
// out by 16 and by 256, never by 4 or 64. So their number changes from round to round.
#pragma once

#include <finesync/device/atomic_ref.cuh>
#include <finesync/device/numbering.cuh>
#include <finesync/device/ptx/sleep.cuh>
#include <finesync/device/watchdog.cuh>
#include <finesync/host/buffer.cuh>
#include <finesync/host/launch.cuh>

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace finesync::barrier {

/// The words of a grid: where a thread's word is, by its number among all threads.
struct grid_litmus_words {
  static constexpr scope reach = scope::device;

  cell<std::uint32_t>* words;
  std::size_t stride;  ///< from a lane's word to the next lane's; at least a line

  __device__ static std::uint32_t block() { return blockIdx.x; }
  __device__ static std::uint32_t blocks() { return gridDim.x; }
  /// \param half 0 or 1.
  __device__ cell<std::uint32_t>& of(std::uint32_t half, std::uint32_t thread) const {
    return words[(half * 32 + thread % 32) * stride + thread / 32];
  }
};

/// One thread's part of the test; passed to the kernel by value. Rounds count from 1. Rounds
/// alternate between two halves of the memory, so that no read races with the next round's stores.
template <class Words>
class litmus_on {
 public:
  litmus_on(const Words& words, cell<std::uint64_t>* early, unsigned stores, bool skewed)
      : words_(words), early_(early), stores_(stores), skewed_(skewed) {}

  __device__ void store(std::uint32_t round) const {
    if (late(2 * round)) sleep_ns(delay_ns);
    const atomic_ref<std::uint32_t, Words::reach> own(word_of(round, number()));
    // Relaxed, not plain: a compiler would merge plain stores.
    for (unsigned left = stores_in(round); left-- > 0;)
      own.store(round * stores_ - left, memory_order::relaxed);
  }

  __device__ void load(std::uint32_t round) {
    if (late(2 * round + 1)) sleep_ns(delay_ns);
    std::uint32_t hash = mixed(round, number());
    for (unsigned read = 0; read < reads; ++read) {
      hash = hash * 747796405u + 2891336453u;
      const auto other =
          static_cast<std::uint32_t>(std::uint64_t{hash} * words_.blocks() * blockDim.x >> 32);
      if (word_of(round, other) != round * stores_) ++found_early_;
    }
  }

  __device__ void finish() const {
    if (found_early_ == 0) return;
    atomic_ref<std::uint64_t, scope::device>(*early_).fetch_add(found_early_,
                                                                memory_order::relaxed);
  }

 private:
  static constexpr unsigned reads = 3;
  static constexpr unsigned delay_ns = 3000;

  __device__ static std::uint32_t mixed(std::uint32_t a, std::uint32_t b) {
    std::uint32_t hash = a * 2654435761u + b * 40503u;
    hash = (hash ^ (hash >> 16)) * 0x85ebca6bu;
    return hash ^ (hash >> 13);
  }
  /// All, or a quarter, a sixteenth, ... of them.
  __device__ unsigned stores_in(std::uint32_t round) const {
    const unsigned fewer = stores_ >> 2 * (round % 5);
    return fewer == 0 ? 1 : fewer;
  }
  __device__ std::uint32_t number() const { return words_.block() * blockDim.x + threadIdx.x; }

  /// True for every eighth block, a different set in each phase: these blocks delay.
  __device__ bool late(std::uint32_t phase) const {
    return skewed_ && mixed(phase, words_.block()) % 8 == 0;
  }
  __device__ cell<std::uint32_t>& word_of(std::uint32_t round, std::uint32_t thread) const {
    return words_.of(round % 2, thread);
  }

  Words words_;
  cell<std::uint64_t>* early_;
  unsigned stores_;
  bool skewed_;
  std::uint32_t found_early_ = 0;
};

using litmus = litmus_on<grid_litmus_words>;

template <class Barrier, class Words>
__global__ void __maxnreg__(32)
    run_litmus(Barrier barrier, litmus_on<Words> test, unsigned rounds, watchdog_ref watchdog) {
  assume_one_dimension();
  auto participant = barrier.join(watchdog);
  for (std::uint32_t round = 1; round <= rounds; ++round) {
    test.store(round);
    if (!participant.wait()) break;
    test.load(round);
  }
  test.finish();
}

/// Words from one lane's to the next lane's, if each of `threads` has a word.
inline std::size_t litmus_stride(std::size_t threads) {
  return std::max(line_bytes / sizeof(std::uint32_t), (threads + 31) / 32);
}

/// Host-side owner.
class litmus_memory {
 public:
  litmus_memory(const launch_shape& shape, unsigned stores)
      : stride_(litmus_stride(std::size_t{shape.blocks} * shape.threads_per_block)),
        stores_(stores),
        words_(2 * 32 * stride_),
        early_(1) {
    reset();
  }

  void reset() {
    words_.fill_bytes(0);
    early_.fill_bytes(0);
  }

  /// \param skewed some blocks arrive late at the barrier, and some read late after it.
  litmus ref(bool skewed) const {
    return {{words_.device_data(), stride_}, early_.device_data(), stores_, skewed};
  }

  /// Number of reads that missed the last value stored before the barrier.
  std::uint64_t early() const { return early_.to_host()[0]; }

 private:
  std::size_t stride_;
  unsigned stores_;
  buffer<std::uint32_t> words_;
  buffer<std::uint64_t> early_;
};

}  // namespace finesync::barrier
