// Places that are kept when a wait ends early: threads that push before they pop, with less room
// than all of their items need. And the end of a queue: what consumers are told while producers are
// left, and after the last item.
#include "broken_queues.hpp"

#include <tests/catalogue/queues.hpp>
#include <tests/library/harness/harness.hpp>

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
  const auto times = zeroed(grid.blocks * grid.threads_per_block * rounds * Items);
  launch_shape shape = grid;
  shape.shared_bytes = ref.shared_bytes();
  return ends(watchdog(3 * soon_ns), push_and_pop<Items, std::remove_const_t<decltype(ref)>>, shape,
              ref, times) &&
         all_are(times, 1);
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
  const auto as_told = zeroed(6);
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
  expect_rejected(strong, 3, [] { return all_come<queue_that_forgets_places, 1>(16); });
}

constexpr unsigned last_items = 5;
enum role { idle_producer, late_producer, consumer, blocks };
enum answer { told_too_early, got_items, told_of_end, answers };

/// One producer leaves at once; the other pushes after the consumer has looked many times.
template <class Queue>
__global__ void leave_in_turn(Queue everybodys, cell<std::uint32_t>* waited,
                              cell<std::uint32_t>* seen, watchdog_ref watchdog) {
  using word = atomic_ref<std::uint32_t, scope::device>;
  const Queue queue = everybodys.join(shared_bytes());
  const by_warp all = by_warp::all();
  const auto count = [&](answer which) { word(seen[which]).fetch_add(1, memory_order::relaxed); };
  if (blockIdx.x == idle_producer) {
    if (lane_id() == 0) queue.leave(2);
  } else if (blockIdx.x == late_producer) {
    bounded_wait wait(watchdog);
    while (!__all_sync(~0u, word(*waited).load(memory_order::relaxed) != 0))
      if (__any_sync(~0u, wait.timed_out())) return;
    auto place = queue.reserve_push(by_warp::where(lane_id() < last_items));
    const typename Queue::item_type items[1] = {lane_id()};
    queue.put(place, items, watchdog);
    if (lane_id() == 0) queue.leave(2);
  } else {
    auto place = queue.reserve_pop(all);
    for (unsigned i = 0; i < 20; ++i)
      if (queue.try_take(place).how != taking::incomplete) return count(told_too_early);
    if (lane_id() == 0) word(*waited).store(1, memory_order::relaxed);
    const auto got = queue.take(place, watchdog);
    if (got.has(0) && static_cast<std::uint32_t>(got.item[0]) == lane_id()) count(got_items);
    if (got.how == taking::closed && !place.held()) count(told_of_end);
    auto behind = queue.reserve_pop(all);
    if (queue.take(behind, watchdog).how == taking::closed) count(told_of_end);
    auto last = queue.reserve_pop(all);
    if (queue.try_take(last).how == taking::closed && !last.held()) count(told_of_end);
  }
}

template <class Queue>
bool ends_as_it_should() {
  const Queue queue(std::max(32u, least_capacity<Queue>));
  const auto ref = queue.ref();
  auto waited = zeroed(1);
  auto seen = zeroed(answers);
  const bool ended =
      ends(watchdog(3'000'000), leave_in_turn<typename Queue::ref_type>,
           {.blocks = blocks, .threads_per_block = 32, .shared_bytes = ref.shared_bytes()}, ref,
           waited, seen);
  const auto counts = seen.to_host();
  return ended && counts[told_too_early] == 0 && counts[got_items] == last_items &&
         counts[told_of_end] == 3 * 32;
}

template <class Queue>
class closing : public ::testing::Test {};
TYPED_TEST_SUITE(closing, test_types_queues, test_types_queues_names);

TYPED_TEST(closing, is_for_places_behind_the_last_item) {
  expect_right_in_any_memory(seed_budget(40), [] { return ends_as_it_should<TypeParam>(); });
}

TEST(broken_queues, one_that_closes_early_is_rejected) {
  expect_rejected(strong, 3, [] { return ends_as_it_should<queue_that_closes_early>(); });
}

}  // namespace
}  // namespace finesync::test::places_test
