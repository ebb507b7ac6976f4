// Tickets that begin again at 0: a queue that is found just before, as after four billion items.
#include "carry.cuh"

#include <finesync/queues/slot_queue.cuh>

#include <gtest/gtest.h>
#include <tests/locks/exploration.hpp>
#include <tests/queues/test_types.hpp>

namespace finesync::test::tickets_test {
namespace {

constexpr unsigned capacity = 16;
constexpr std::uint32_t first_ticket = 0u - 4 * capacity;

/// The queue's memory as it is once all items before the first ticket have gone through.
template <class Ends, class Words>
__global__ void wind_on(Ends* ends, Words words) {
  words.mark(threadIdx.x, first_ticket);
  if (threadIdx.x != 0) return;
  ends->tail = first_ticket;
  ends->head = first_ticket;
}

/// A slot queue that has been in use for long.
template <class T>
class old_queue {
 public:
  using words = item_words<T>;
  using ring = slot_ring<T, queue_order::relaxed, words>;
  using ref_type = ticket_queue<ring>;

  old_queue() : words_(words::words_per_slot * capacity) {
    words_.fill_bytes(0);
    launch_independent(wind_on<typename ref_type::ends, words>, {1, capacity}, ends_.device_data(),
                       words(words_.device_data(), capacity));
  }
  ref_type ref() const {
    return {ends_.device_data(),
            ring(lap_tags<std::uint32_t>(capacity), words(words_.device_data(), capacity))};
  }

 private:
  zeroed_states<typename ref_type::ends> ends_{1};
  buffer<typename words::word> words_;
};

template <class T>
unsigned failing(simt::memory_kind memory) {
  return failing_seeds(memory, seed_budget(30), [] {
    old_queue<T> queue;
    return arrives<1>(queue, {.producers = 2, .consumers = 2, .rounds = 3});
  });
}

TEST(tickets, begin_again_at_0) {
  for (const auto memory : {simt::memory_kind::strong, simt::memory_kind::weak}) {
    EXPECT_EQ(failing<test_item>(memory), 0u);
    EXPECT_EQ(failing<std::uint32_t>(memory), 0u);
    EXPECT_EQ(failing<test_item_16>(memory), 0u);
  }
}

}  // namespace
}  // namespace finesync::test::tickets_test
