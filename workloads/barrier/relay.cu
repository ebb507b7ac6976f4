#include "relay.cuh"

#include <finesync/device/numbering.cuh>
#include <finesync/host/buffer.cuh>

namespace finesync::barrier {

namespace {

std::size_t words_that_fit(const launch_shape& shape, unsigned words_per_thread) {
  const std::size_t words = std::size_t{shape.blocks} * shape.threads_per_block * words_per_thread;
  require_device_memory(words * sizeof(std::uint32_t));
  return words;
}

__global__ void count_unequal(const cell<std::uint32_t>* words, std::size_t size,
                              std::uint32_t expected, cell<std::uint64_t>* unequal) {
  assume_one_dimension();
  std::uint64_t found = 0;
  for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < size;
       i += std::size_t{gridDim.x} * blockDim.x) {
    if (words[i] != expected) ++found;
  }
  if (found == 0) return;
  atomic_ref<std::uint64_t, scope::device>(*unequal).fetch_add(found, memory_order::relaxed);
}

}  // namespace

relay_memory::relay_memory(const launch_shape& shape, unsigned words_per_thread)
    : words_per_thread_(words_per_thread),
      words_(words_that_fit(shape, words_per_thread)),
      mismatches_(1) {
  reset();
}

void relay_memory::reset() {
  words_.fill_bytes(0);
  mismatches_.fill_bytes(0);
}

relay relay_memory::ref() const {
  return {words_.device_data(), mismatches_.device_data(), words_per_thread_};
}

std::uint64_t relay_memory::unfinished(std::uint32_t steps) const {
  if (words_.size() == 0) return 0;
  auto unequal = buffer<std::uint64_t>::zeroed(1);
  const unsigned blocks = 2 * static_cast<unsigned>(current_gpu().sms);
  launch_independent(count_unequal, {.blocks = blocks, .threads_per_block = 256},
                     words_.device_data(), words_.size(), steps, unequal.device_data());
  return unequal.to_host()[0];
}

}  // namespace finesync::barrier
