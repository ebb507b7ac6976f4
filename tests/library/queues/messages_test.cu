// Items that say where the producer has written a message: it must be visible to the consumer,
// between blocks and within one.
#include <finesync/queues/block_queue.cuh>

#include <tests/catalogue/queues.hpp>
#include <tests/library/harness/harness.hpp>

namespace finesync::test::messages_test {
namespace {

constexpr unsigned rounds = 3;

enum class putting { waits, tries, looks_ahead };
struct use_of_queue {
  putting puts = putting::waits;
  bool tries_to_take = false;
};

/// Block 0 writes messages and sends their numbers, block 1 reads them.
template <class Queue>
__global__ void send_messages(Queue everybodys, use_of_queue how, cell<std::uint32_t>* messages,
                              cell<std::uint32_t>* wrong, watchdog_ref watchdog) {
  const Queue queue = everybodys.join(shared_bytes());
  const by_warp all = by_warp::all();
  for (unsigned round = 0; round < rounds; ++round) {
    if (blockIdx.x == 0) {
      const unsigned number = round * 32 + lane_id();
      messages[number] = ~number;
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
        if (got.has(0) && (number >= rounds * 32 || messages[number] != ~number))
          atomic_ref<std::uint32_t, scope::device>(*wrong).fetch_add(1, memory_order::relaxed);
        ended = got.how;
        if (__any_sync(~0u, wait.timed_out())) return;
      }
    }
  }
}

template <class Queue>
bool messages_are_read(use_of_queue how) {
  const Queue queue(32);
  auto messages = zeroed(rounds * 32);
  auto wrong = zeroed(1);
  return ends(watchdog(1'000'000'000), send_messages<typename Queue::ref_type>, {2, 32}, queue, how,
              messages, wrong) &&
         wrong.to_host()[0] == 0;
}

template <class Queue>
unsigned failing(simt::memory_kind memory, unsigned seeds, use_of_queue how = {}) {
  return failing_seeds(memory, seeds, [&] { return messages_are_read<Queue>(how); });
}

TEST(addresses, are_ordered_with_what_they_point_to) {
  for (const auto memory : {strong, weak}) {
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
  for (const auto memory : {strong, weak}) {
    EXPECT_GT(failing<slot_queue<test_item>>(memory, 50), 0u);
  }
}

template <memory_order See, memory_order Show>
using vyukov_with =
    basic_vyukov_queue<test_item, sequence_ring<test_item, scope::device, See, Show>>;

TEST(broken_queues, sequence_words_without_their_orders_are_rejected) {
  using unseen = vyukov_with<memory_order::relaxed, memory_order::release>;
  using unshown = vyukov_with<memory_order::acquire, memory_order::relaxed>;
  EXPECT_GT(failing<unseen>(strong, 50), 0u);
  EXPECT_GT(failing<unshown>(strong, 50), 0u);
  EXPECT_GT(failing<unshown>(weak, 100), 0u);
}

constexpr unsigned warps = 4;  // half of them push
constexpr unsigned rounds_in_block = 3;
constexpr unsigned messages = warps / 2 * 32 * rounds_in_block;

template <class Memory>
struct message_memory {
  Memory memory;
  cell<std::uint32_t> message[messages];
  cell<std::uint32_t> read[messages];
};

template <class Memory>
__global__ void deliver(cell<std::uint32_t>* times_read, watchdog_ref watchdog) {
  auto& shared = shared_storage<message_memory<Memory>>();
  for (unsigned i = threadIdx.x; i < messages; i += blockDim.x) shared.read[i] = 0;
  shared.memory.open();
  const auto queue = shared.memory.queue();
  const by_warp all = by_warp::all();
  if (threadIdx.x < blockDim.x / 2) {
    for (unsigned round = 0; round < rounds_in_block; ++round) {
      const std::uint32_t numbers[1] = {threadIdx.x * rounds_in_block + round};
      shared.message[numbers[0]] = ~numbers[0];
      auto place = queue.reserve_push(all);
      if (!queue.put(place, numbers, watchdog)) break;
    }
    if (lane_id() == 0) queue.leave(warps / 2);
  } else {
    for (bool open = true; open;) {
      auto place = queue.reserve_pop(all);
      const auto got = queue.take(place, watchdog);
      if (got.has(0) && got.item[0] < messages && shared.message[got.item[0]] == ~got.item[0])
        atomic_ref<std::uint32_t, scope::block>(shared.read[got.item[0]])
            .fetch_add(1, memory_order::relaxed);
      open = got.how == taking::complete;
    }
  }
  __syncthreads();
  for (unsigned i = threadIdx.x; i < messages; i += blockDim.x)
    times_read[i] = static_cast<std::uint32_t>(shared.read[i]);
}

template <class Memory>
bool all_are_read_once() {
  const auto times = zeroed(messages);
  const watchdog timeout(3 * soon_ns);
  launch_independent(deliver<Memory>,
                     {.blocks = 1,
                      .threads_per_block = 32 * warps,
                      .shared_bytes = sizeof(message_memory<Memory>)},
                     times.device_data(), timeout.ref());
  return !timeout.fired() && all_are(times, 1);
}

TEST(block_queue, orders_its_items) {
  for (const bool small : {true, false})
    expect_right_in_any_memory(seed_budget(60), [&] {
      return small ? all_are_read_once<block_queue_memory<std::uint32_t, 4>>()
                   : all_are_read_once<block_queue_memory<std::uint32_t, 128>>();
    });
}

}  // namespace
}  // namespace finesync::test::messages_test
