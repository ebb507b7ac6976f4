// Items that are addresses: what the producer wrote there before must be visible to the consumer.
#include <finesync/device/shared_storage.cuh>
#include <finesync/host/launch.cuh>
#include <finesync/host/watchdog.cuh>

#include <gtest/gtest.h>
#include <tests/catalogue/queues.hpp>
#include <tests/library/locks/exploration.hpp>

namespace finesync::test::addresses_test {
namespace {

constexpr unsigned rounds = 3;

enum class putting { waits, tries, looks_ahead };
struct use_of_queue {
  putting puts = putting::waits;
  bool tries_to_take = false;
};

/// Block 0 writes letters and sends their numbers, block 1 reads them.
template <class Queue>
__global__ void write_letters(Queue everybodys, use_of_queue how, cell<std::uint32_t>* letters,
                              cell<std::uint32_t>* wrong, watchdog_ref watchdog) {
  const Queue queue = everybodys.join(shared_bytes());
  const by_warp all = by_warp::all();
  for (unsigned round = 0; round < rounds; ++round) {
    if (blockIdx.x == 0) {
      const unsigned number = round * 32 + lane_id();
      letters[number] = ~number;
      auto place = queue.reserve_push(all);
      const typename Queue::item_type items[1] = {number};
      if (how.puts == putting::looks_ahead) queue.look_ahead(place);
      bounded_wait wait(watchdog);
      while (how.puts == putting::tries ? !queue.try_put(place, items)
                                        : !queue.put(place, items, watchdog))
        if (__any_sync(~0u, wait.timed_out())) return;
    } else {
      auto place = queue.reserve_pop(all);
      bounded_wait wait(watchdog);
      for (auto ended = taking::incomplete; ended == taking::incomplete;) {
        const auto got = how.tries_to_take ? queue.try_take(place) : queue.take(place, watchdog);
        const std::uint32_t number = got.item[0];
        if (got.has(0) && (number >= rounds * 32 || letters[number] != ~number))
          atomic_ref<std::uint32_t, scope::device>(*wrong).fetch_add(1, memory_order::relaxed);
        ended = got.how;
        if (__any_sync(~0u, wait.timed_out())) return;
      }
    }
  }
}

template <class Queue>
bool letters_are_read(use_of_queue how) {
  const Queue queue(32);
  auto letters = buffer<std::uint32_t>::zeroed(rounds * 32);
  auto wrong = buffer<std::uint32_t>::zeroed(1);
  const watchdog timeout(1'000'000'000);
  launch_cooperative(write_letters<typename Queue::ref_type>, {2, 32}, queue.ref(), how,
                     letters.device_data(), wrong.device_data(), timeout.ref());
  stream().synchronize();
  return !timeout.fired() && wrong.to_host()[0] == 0;
}

template <class Queue>
unsigned failing(simt::memory_kind memory, unsigned seeds, use_of_queue how = {}) {
  return failing_seeds(memory, seeds, [&] { return letters_are_read<Queue>(how); });
}

TEST(addresses, are_ordered_with_what_they_point_to) {
  for (const auto memory : {simt::memory_kind::strong, simt::memory_kind::weak}) {
    for (const use_of_queue how : {use_of_queue{},
                                   {putting::tries},
                                   {putting::waits, true},
                                   {putting::tries, true},
                                   {putting::looks_ahead}}) {
      EXPECT_EQ(failing<ordered_slot_queue<std::uint32_t>>(memory, seed_budget(40), how), 0u);
      EXPECT_EQ(failing<ordered_slot_queue<test_item_16>>(memory, seed_budget(20), how), 0u);
      EXPECT_EQ(failing<vyukov_queue<test_item>>(memory, seed_budget(40), how), 0u);
    }
  }
}

TEST(addresses, need_the_ordered_form) {
  for (const auto memory : {simt::memory_kind::strong, simt::memory_kind::weak}) {
    EXPECT_GT(failing<slot_queue<test_item>>(memory, 50), 0u);
  }
}

template <memory_order See, memory_order Show>
using vyukov_with =
    basic_vyukov_queue<test_item, sequence_ring<test_item, scope::device, See, Show>>;

TEST(broken_queues, sequence_words_without_their_orders_are_rejected) {
  using unseen = vyukov_with<memory_order::relaxed, memory_order::release>;
  using unshown = vyukov_with<memory_order::acquire, memory_order::relaxed>;
  EXPECT_GT(failing<unseen>(simt::memory_kind::strong, 50), 0u);
  EXPECT_GT(failing<unshown>(simt::memory_kind::strong, 50), 0u);
  EXPECT_GT(failing<unshown>(simt::memory_kind::weak, 100), 0u);
}

}  // namespace
}  // namespace finesync::test::addresses_test
