// Places that are kept when a wait ends early: threads that push before they pop, with less room
// than all of their items need.
#include "broken_queues.hpp"

#include <finesync/device/shared_storage.cuh>
#include <finesync/host/launch.cuh>
#include <finesync/host/watchdog.cuh>

#include <gtest/gtest.h>
#include <tests/catalogue/queues.hpp>
#include <tests/library/locks/exploration.hpp>

namespace finesync::test::places_test {
namespace {

constexpr unsigned rounds = 2;

/// Each warp pushes as many items as it pops, and pops whenever a push finds no space.
template <unsigned Items, class Queue>
__global__ void push_and_pop(Queue everybodys, cell<std::uint32_t>* times, watchdog_ref watchdog) {
  const Queue queue = everybodys.join(shared_bytes());
  using item = typename Queue::item_type;
  const by_warp all = by_warp::all();
  typename Queue::template push_place<Items> to;
  typename Queue::template pop_place<Items> from;
  unsigned pushed = 0;
  unsigned popped = 0;
  bounded_wait wait(watchdog);
  item items[Items];
  while (pushed < rounds || popped < rounds) {
    if (!to.held() && pushed < rounds) {
      to = queue.template reserve_push<Items>(all);
      for (unsigned k = 0; k < Items; ++k)
        items[k] = item(((blockIdx.x * blockDim.x + threadIdx.x) * rounds + pushed) * Items + k);
    }
    if (to.held() && queue.try_put(to, items)) ++pushed;
    if (__any_sync(~0u, wait.timed_out())) return;
    if (popped == rounds) continue;
    if (!from.held()) from = queue.template reserve_pop<Items>(all);
    const auto got = queue.try_take(from);
    for (unsigned k = 0; k < Items; ++k) {
      const std::uint32_t number = got.item[k];
      if (got.has(k) && number < gridDim.x * blockDim.x * rounds * Items)
        atomic_ref<std::uint32_t, scope::device>(times[number]).fetch_add(1, memory_order::relaxed);
    }
    if (got.how == taking::complete) ++popped;
  }
}

template <class Queue, unsigned Items>
bool all_come(unsigned capacity) {
  constexpr launch_shape grid{.blocks = 3, .threads_per_block = 32};
  const Queue queue(capacity);
  const auto ref = queue.ref();
  auto times = buffer<std::uint32_t>::zeroed(grid.blocks * grid.threads_per_block * rounds * Items);
  const watchdog timeout(3'000'000);  // nominal ns
  launch_shape shape = grid;
  shape.shared_bytes = ref.shared_bytes();
  launch_cooperative(push_and_pop<Items, std::remove_const_t<decltype(ref)>>, shape, ref,
                     times.device_data(), timeout.ref());
  stream().synchronize();
  if (timeout.fired()) return false;
  for (const std::uint32_t each : times.to_host())
    if (each != 1) return false;
  return true;
}

template <class Queue>
class places : public ::testing::Test {};
TYPED_TEST_SUITE(places, test_types_queues, test_types_queues_names);

TYPED_TEST(places, are_kept_when_a_wait_ends_early) {
  expect_right_in_any_memory(seed_budget(40), [] {
    return all_come<TypeParam, 1>(std::max<unsigned>(16, least_capacity<TypeParam>));
  });
  expect_right_in_any_memory(seed_budget(10), [] {
    return all_come<TypeParam, 8>(std::max<unsigned>(64, least_capacity<TypeParam>));
  });
}

/// A warp puts one item per lane more than there is room for, then takes as many more than there
/// are: the watchdog ends both, and what they could not do is kept for the next call. Meanwhile
/// another block changes memory, or the executor would see a livelock.
template <class Queue>
__global__ void wait_in_vain(Queue everybodys, unsigned laps, cell<std::uint32_t>* as_told,
                             watchdog_ref for_space, watchdog_ref for_items) {
  if (blockIdx.x != 0) {
    for (unsigned i = 1; i < 1u << 20 && !for_items.has_fired(); ++i)
      if (lane_id() == 0) as_told[5] = i;
    return;
  }
  const Queue queue = everybodys.join(shared_bytes());
  by_warp asker = by_warp::all();
  const typename Queue::item_type items[1] = {lane_id()};
  auto expect = [&, number = 0u](bool right) mutable {
    if (lane_id() == 31) as_told[number++] = right;
  };
  bool all_put = true;
  for (unsigned i = 0; i < laps; ++i) {
    auto place = queue.reserve_push(asker);
    all_put = all_put && queue.put(place, items, for_space);
  }
  auto to = queue.reserve_push(asker);
  expect(all_put && !queue.put(to, items, for_space) && to.held());
  for (unsigned i = 0; i < laps; ++i) {
    auto place = queue.reserve_pop(asker);
    all_put = all_put && queue.take(place, for_items).how == taking::complete;
  }
  expect(all_put && queue.put(to, items, for_space) && !to.held());
  for (const bool is_there : {true, false}) {
    auto from = queue.reserve_pop(asker);
    const auto got = queue.take(from, for_items);
    expect(got.how == (is_there ? taking::complete : taking::incomplete) &&
           got.has(0) == is_there && from.held() != is_there);
  }
  asker.leave();
  expect(!queue.reserve_push(asker).held() && !queue.reserve_pop(asker).held());
}

TYPED_TEST(places, are_kept_when_the_watchdog_ends_a_wait) {
  const unsigned room = std::max(32u, least_capacity<TypeParam>);
  const TypeParam queue(room);
  const auto ref = queue.ref();
  const auto as_told = buffer<std::uint32_t>::zeroed(6);
  const watchdog for_space(100'000), for_items(100'000);
  launch_cooperative(wait_in_vain<typename TypeParam::ref_type>,
                     {.blocks = 2, .threads_per_block = 32, .shared_bytes = ref.shared_bytes()},
                     ref, room / 32, as_told.device_data(), for_space.ref(), for_items.ref());
  for (const unsigned step : {0u, 1u, 2u, 3u, 4u}) EXPECT_EQ(as_told.to_host()[step], 1u) << step;
  ASSERT_TRUE(for_space.fired() && for_items.fired());
  EXPECT_EQ(for_space.report()->what, awaited::queue_space);
  EXPECT_EQ(for_items.report()->what, awaited::queue_item);
}

TEST(broken_queues, one_that_forgets_places_is_rejected) {
  EXPECT_GT(failing_twin_seeds(simt::memory_kind::strong, 3,
                               [] { return all_come<queue_that_forgets_places, 1>(16); }),
            0u);
}

}  // namespace
}  // namespace finesync::test::places_test
