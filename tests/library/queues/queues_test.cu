// Every item arrives once, at its place in the line: over many schedules of each queue.
#include "carry.cuh"

#include <tests/catalogue/queues.hpp>
#include <tests/library/locks/exploration.hpp>

namespace finesync::test::queues_test {
namespace {

template <class Queue>
class queues : public ::testing::Test {
 protected:
  template <unsigned Items = 1>
  static void carry(freight plan, unsigned usual = 60) {
    plan.capacity = std::max(plan.capacity, least_capacity<Queue>);
    const auto right = [&] { return arrives<Queue, Items>(plan); };
    expect_right_in_any_memory(seed_budget(usual), right);
  }
};
TYPED_TEST_SUITE(queues, test_types_queues, test_types_queues_names);

TYPED_TEST(queues, carry_each_item_once) {
  this->carry({.producers = 2, .consumers = 2, .capacity = 128});
}

TYPED_TEST(queues, work_with_less_room_than_lanes_in_flight) {
  this->carry({.producers = 2, .consumers = 1, .capacity = 8});
  this->carry({.producers = 1, .consumers = 2, .rounds = 2, .capacity = 2});
}

TYPED_TEST(queues, take_tickets_for_the_lanes_that_take_part) {
  this->carry({.producers = 2, .consumers = 2, .capacity = 64, .some_lanes = true});
}

TYPED_TEST(queues, carry_several_items_of_a_thread) {
  this->template carry<4>({.producers = 2, .consumers = 1, .rounds = 2, .capacity = 64});
}

TYPED_TEST(queues, carry_items_of_blocks) {
  this->carry(
      {.producers = 2, .consumers = 2, .warps = 2, .rounds = 2, .capacity = 64, .by_block = true});
}

TYPED_TEST(queues, carry_items_of_threads_that_do_both) {
  this->carry({.producers = 3, .all_do_both = true, .capacity = 128});
  this->template carry<2>({.producers = 2,
                           .all_do_both = true,
                           .warps = 2,
                           .rounds = 2,
                           .capacity = 256,
                           .by_block = true});
}

// Many laps, also of a ring of segments. Places of fewer lanes reach from one segment into the
// next.
TYPED_TEST(queues, go_around) {
  constexpr unsigned capacity = least_capacity<TypeParam>;
  this->template carry<4>(
      {.producers = 1, .consumers = 1, .rounds = 2 + capacity / 32, .capacity = capacity}, 10);
  this->carry({.producers = 2,
               .consumers = 2,
               .rounds = 2 + capacity / 16,
               .capacity = capacity,
               .some_lanes = true},
              10);
  // Producers that are ahead of their consumer, or late in a segment that is in use again.
  this->carry({.producers = 6, .consumers = 1, .rounds = 2 + capacity / 64, .capacity = capacity},
              10);
}

}  // namespace
}  // namespace finesync::test::queues_test
