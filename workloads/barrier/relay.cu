#include "relay.cuh"

#include <finesync/device/numbering.cuh>
#include <finesync/host/buffer.cuh>

namespace finesync::barrier {

using workload::half_warp_lines;

namespace {

/// What the words of a chunk depend on.
struct chunk_layout {
  unsigned threads;
  unsigned words_per_thread;
  load_order order;

  __host__ __device__ std::size_t words() const {
    if (words_per_thread == 0) return 0;
    return order == load_order::lines ? half_warp_lines::words_of_block(threads, words_per_thread)
                                      : stored();
  }
  /// Without those that pad lines.
  __host__ __device__ std::size_t stored() const {
    return std::size_t{threads} * (words_per_thread + (order == load_order::lines));
  }
  __host__ __device__ std::size_t index_of_stored(std::size_t i) const {
    if (order != load_order::lines) return i;
    return half_warp_lines::index(static_cast<unsigned>(i % threads),
                                  static_cast<unsigned>(i / threads), words_per_thread);
  }
};

std::size_t words_that_fit(unsigned chunks, const chunk_layout& layout) {
  const std::size_t words = chunks * layout.words();
  require_device_memory(words * sizeof(std::uint32_t));
  return words;
}

__global__ void count_unequal(const cell<std::uint32_t>* words, std::size_t chunks,
                              chunk_layout layout, std::uint32_t expected,
                              cell<std::uint64_t>* unequal) {
  assume_one_dimension();
  std::uint64_t found = 0;
  const std::size_t stored = layout.stored();
  for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < chunks * stored;
       i += std::size_t{gridDim.x} * blockDim.x) {
    if (words[i / stored * layout.words() + layout.index_of_stored(i % stored)] != expected)
      ++found;
  }
  if (found == 0) return;
  atomic_ref<std::uint64_t, scope::device>(*unequal).fetch_add(found, memory_order::relaxed);
}

}  // namespace

relay_memory::relay_memory(const launch_shape& shape, unsigned words_per_thread, load_order order)
    : shape_(shape),
      words_per_thread_(words_per_thread),
      order_(order),
      words_(words_that_fit(shape.blocks, {shape.threads_per_block, words_per_thread, order})),
      mismatches_(1) {
  reset();
}

void relay_memory::reset() {
  words_.fill_bytes(0);
  mismatches_.fill_bytes(0);
}

relay relay_memory::ref() const {
  return {words_.device_data(), mismatches_.device_data(), words_per_thread_, order_};
}

std::uint64_t relay_memory::unfinished(std::uint32_t steps) const {
  if (words_.size() == 0) return 0;
  auto unequal = buffer<std::uint64_t>::zeroed(1);
  const unsigned blocks = 2 * static_cast<unsigned>(current_gpu().sms);
  launch_independent(count_unequal, {.blocks = blocks, .threads_per_block = 256},
                     words_.device_data(), std::size_t{shape_.blocks},
                     chunk_layout{shape_.threads_per_block, words_per_thread_, order_}, steps,
                     unequal.device_data());
  return unequal.to_host()[0];
}

}  // namespace finesync::barrier
