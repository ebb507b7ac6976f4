// Places that are kept when a wait ends early: threads that push before they pop, with less room
// than all of their items need.
#include "broken_queues.hpp"

#include <finesync/device/shared_storage.cuh>
#include <finesync/host/launch.cuh>
#include <finesync/host/watchdog.cuh>

#include <gtest/gtest.h>
#include <tests/catalogue/queues.hpp>
#include <tests/locks/exploration.hpp>

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
  for (const auto memory : {simt::memory_kind::strong, simt::memory_kind::weak}) {
    EXPECT_EQ(failing_seeds(memory, seed_budget(40),
                            [] {
                              return all_come<TypeParam, 1>(
                                  std::max<unsigned>(16, least_capacity<TypeParam>));
                            }),
              0u);
    EXPECT_EQ(failing_seeds(memory, seed_budget(10),
                            [] {
                              return all_come<TypeParam, 8>(
                                  std::max<unsigned>(64, least_capacity<TypeParam>));
                            }),
              0u);
  }
}

TEST(broken_queues, one_that_forgets_places_is_rejected) {
  EXPECT_GT(failing_twin_seeds(simt::memory_kind::strong, 3,
                               [] { return all_come<queue_that_forgets_places, 1>(16); }),
            0u);
}

}  // namespace
}  // namespace finesync::test::places_test
