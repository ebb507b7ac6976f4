// The end of a queue: what consumers are told while producers are left, and after the last item.
#include "broken_queues.hpp"

#include <finesync/device/shared_storage.cuh>
#include <finesync/host/launch.cuh>
#include <finesync/host/watchdog.cuh>

#include <gtest/gtest.h>
#include <tests/catalogue/queues.hpp>
#include <tests/library/locks/exploration.hpp>

namespace finesync::test::closing_test {
namespace {

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
  auto waited = buffer<std::uint32_t>::zeroed(1);
  auto seen = buffer<std::uint32_t>::zeroed(answers);
  const watchdog timeout(3'000'000);  // nominal ns
  launch_cooperative(
      leave_in_turn<typename Queue::ref_type>,
      {.blocks = blocks, .threads_per_block = 32, .shared_bytes = ref.shared_bytes()}, ref,
      waited.device_data(), seen.device_data(), timeout.ref());
  stream().synchronize();
  const auto counts = seen.to_host();
  return !timeout.fired() && counts[told_too_early] == 0 && counts[got_items] == last_items &&
         counts[told_of_end] == 3 * 32;
}

template <class Queue>
class closing : public ::testing::Test {};
TYPED_TEST_SUITE(closing, test_types_queues, test_types_queues_names);

TYPED_TEST(closing, is_for_places_behind_the_last_item) {
  expect_right_in_any_memory(seed_budget(40), [] { return ends_as_it_should<TypeParam>(); });
}

TEST(broken_queues, one_that_closes_early_is_rejected) {
  EXPECT_GT(failing_twin_seeds(simt::memory_kind::strong, 3,
                               [] { return ends_as_it_should<queue_that_closes_early>(); }),
            0u);
}

}  // namespace
}  // namespace finesync::test::closing_test
