// The bound of the segment queue: a segment is free again with its last item, and no sooner.
#include <finesync/device/shared_storage.cuh>
#include <finesync/device/watchdog.cuh>
#include <finesync/host/buffer.cuh>
#include <finesync/host/launch.cuh>
#include <finesync/host/watchdog.cuh>
#include <finesync/queues/segment_queue.cuh>

#include <gtest/gtest.h>
#include <tests/library/queues/test_types.hpp>

#include <cstdint>

namespace finesync::test::segments_test {
namespace {

using queue_type = segment_queue<test_item>;
using ring_type = queue_type::ring_type;

/// A warp fills the ring, takes all but one item of the first segment, and pushes once more: first
/// with that item in its slot, then without.
__global__ void push_into_the_next_lap(queue_type::ref_type everybodys,
                                       cell<std::uint32_t>* had_room, watchdog_ref watchdog) {
  constexpr unsigned warps_per_segment = ring_type::slots_per_segment / 32;
  const auto queue = everybodys.join(shared_bytes());
  const test_item items[1] = {lane_id()};
  const auto push = [&] { return queue.reserve_push(by_warp::all()); };
  const auto pop = [&](unsigned lanes) {
    auto place = queue.reserve_pop(by_warp::where(lane_id() < lanes));
    queue.take(place, watchdog);
  };
  for (unsigned i = 0; i < ring_type::least_capacity / 32; ++i) {
    auto place = push();
    queue.put(place, items, watchdog);
  }
  for (unsigned i = 1; i < warps_per_segment; ++i) pop(32);
  pop(31);
  auto next_lap = push();
  const bool too_early = queue.try_put(next_lap, items);
  pop(1);
  const bool in_time = !too_early && queue.try_put(next_lap, items);
  if (threadIdx.x != 0) return;
  had_room[0] = too_early;
  had_room[1] = in_time;
}

TEST(segment_queue, has_room_again_with_the_last_item_of_a_segment) {
  const queue_type queue(ring_type::least_capacity);
  auto had_room = buffer<std::uint32_t>::zeroed(2);
  const watchdog timeout(1'000'000'000);
  launch_independent(
      push_into_the_next_lap,
      {.blocks = 1, .threads_per_block = 32, .shared_bytes = queue.ref().shared_bytes()},
      queue.ref(), had_room.device_data(), timeout.ref());
  stream().synchronize();
  EXPECT_FALSE(timeout.fired());
  EXPECT_EQ(had_room.to_host(), (std::vector<std::uint32_t>{0, 1}));
}

}  // namespace
}  // namespace finesync::test::segments_test
