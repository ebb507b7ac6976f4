// Places that a block reserves in two lists: each thread's are its own, and none is left out.
#include <finesync/device/shared_storage.cuh>
#include <finesync/host/buffer.cuh>
#include <finesync/host/launch.cuh>
#include <simt/settings.hpp>
#include <workloads/mst/edges/block_reservation.cuh>

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace finesync::mst {
namespace {

constexpr launch_shape blocks_of_two_warps{
    .blocks = 3, .threads_per_block = 64, .shared_bytes = sizeof(block_reservation)};
constexpr unsigned rounds = 3;

__host__ __device__ constexpr unsigned wanted_in_first(unsigned thread, unsigned round) {
  return (thread + round) % 3;
}
__host__ __device__ constexpr unsigned wanted_in_second(unsigned thread, unsigned round) {
  return (thread + 2 * round) % 5;
}

/// Every thread writes its number to all its places; the lengths are words 0 and 1.
__global__ void fill_lists(cell<std::uint32_t>* lengths, cell<std::uint32_t>* first,
                           cell<std::uint32_t>* second) {
  auto& reservation = shared_storage<block_reservation>();
  const unsigned me = blockIdx.x * blockDim.x + threadIdx.x;
  for (unsigned round = 0; round < rounds; ++round) {
    const unsigned in_first = wanted_in_first(me, round);
    const unsigned in_second = wanted_in_second(me, round);
    const auto mine = reservation.reserve(in_first, lengths[0], in_second, lengths[1]);
    for (unsigned i = 0; i < in_first; ++i) first[mine.first + i] = me;
    for (unsigned i = 0; i < in_second; ++i) second[mine.second + i] = me;
  }
}

/// The places of all threads, in order of the threads.
template <class Wanted>
std::vector<std::uint32_t> list_of(Wanted wanted) {
  std::vector<std::uint32_t> all;
  const unsigned threads = blocks_of_two_warps.blocks * blocks_of_two_warps.threads_per_block;
  for (unsigned thread = 0; thread < threads; ++thread)
    for (unsigned round = 0; round < rounds; ++round)
      all.insert(all.end(), wanted(thread, round), thread);
  return all;
}

TEST(block_reservation, gives_each_thread_its_own_places_in_both_lists) {
  const auto first_right = list_of(wanted_in_first);
  const auto second_right = list_of(wanted_in_second);
  for (unsigned seed = 0; seed < 20; ++seed) {
    const simt::scoped_settings scoped(simt::random_schedule(seed, simt::memory_kind::weak));
    auto lengths = buffer<std::uint32_t>::zeroed(2);
    buffer<std::uint32_t> first(first_right.size());
    buffer<std::uint32_t> second(second_right.size());
    launch_cooperative(fill_lists, blocks_of_two_warps, lengths.device_data(), first.device_data(),
                       second.device_data());
    ASSERT_EQ(lengths.to_host(), (std::vector{static_cast<std::uint32_t>(first_right.size()),
                                              static_cast<std::uint32_t>(second_right.size())}));
    auto in_first = first.to_host();
    auto in_second = second.to_host();
    std::ranges::sort(in_first);
    std::ranges::sort(in_second);
    ASSERT_EQ(in_first, first_right) << seed;
    ASSERT_EQ(in_second, second_right) << seed;
  }
}

}  // namespace
}  // namespace finesync::mst
