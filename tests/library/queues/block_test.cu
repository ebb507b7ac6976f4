// A queue within a block: items that are numbers of what the producer has written.
#include <finesync/device/shared_storage.cuh>
#include <finesync/host/buffer.cuh>
#include <finesync/host/launch.cuh>
#include <finesync/host/watchdog.cuh>
#include <finesync/queues/block_queue.cuh>

#include <gtest/gtest.h>
#include <tests/library/locks/exploration.hpp>

#include <cstdint>

namespace finesync::test::block_test {
namespace {

constexpr unsigned warps = 4;  // half of them push
constexpr unsigned rounds = 3;
constexpr unsigned letters = warps / 2 * 32 * rounds;

template <class Memory>
struct post_room {
  Memory memory;
  cell<std::uint32_t> letter[letters];
  cell<std::uint32_t> read[letters];
};

template <class Memory>
__global__ void deliver(cell<std::uint32_t>* times_read, watchdog_ref watchdog) {
  auto& room = shared_storage<post_room<Memory>>();
  for (unsigned i = threadIdx.x; i < letters; i += blockDim.x) room.read[i] = 0;
  room.memory.open();
  const auto queue = room.memory.queue();
  const by_warp all = by_warp::all();
  if (threadIdx.x < blockDim.x / 2) {
    for (unsigned round = 0; round < rounds; ++round) {
      const std::uint32_t numbers[1] = {threadIdx.x * rounds + round};
      room.letter[numbers[0]] = ~numbers[0];
      auto place = queue.reserve_push(all);
      if (!queue.put(place, numbers, watchdog)) break;
    }
    if (lane_id() == 0) queue.leave(warps / 2);
  } else {
    for (bool open = true; open;) {
      auto place = queue.reserve_pop(all);
      const auto got = queue.take(place, watchdog);
      if (got.has(0) && got.item[0] < letters && room.letter[got.item[0]] == ~got.item[0])
        atomic_ref<std::uint32_t, scope::block>(room.read[got.item[0]])
            .fetch_add(1, memory_order::relaxed);
      open = got.how == taking::complete;
    }
  }
  __syncthreads();
  for (unsigned i = threadIdx.x; i < letters; i += blockDim.x)
    times_read[i] = static_cast<std::uint32_t>(room.read[i]);
}

template <class Memory>
bool all_are_read_once() {
  const auto times = buffer<std::uint32_t>::zeroed(letters);
  const watchdog timeout(3'000'000);  // nominal ns
  launch_independent(
      deliver<Memory>,
      {.blocks = 1, .threads_per_block = 32 * warps, .shared_bytes = sizeof(post_room<Memory>)},
      times.device_data(), timeout.ref());
  stream().synchronize();
  if (timeout.fired()) return false;
  for (const std::uint32_t each : times.to_host())
    if (each != 1) return false;
  return true;
}

TEST(block_queue, orders_its_items) {
  for (const bool small : {true, false})
    expect_right_in_any_memory(seed_budget(60), [&] {
      return small ? all_are_read_once<block_queue_memory<std::uint32_t, 4>>()
                   : all_are_read_once<block_queue_memory<std::uint32_t, 128>>();
    });
}

}  // namespace
}  // namespace finesync::test::block_test
