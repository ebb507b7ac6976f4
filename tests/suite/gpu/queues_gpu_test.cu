// Every queue on the device: full grids, with much room and with less than the items on their way.
#include "gpu_fixture.hpp"

#include <workloads/queue/queues_makers.hpp>
#include <workloads/queue/run_config.hpp>

#include <tests/primitives.hpp>

namespace finesync::test::queues_gpu_test {
namespace {

using queue::run_config;
using queue::traffic;

class queues_on_a_full_gpu : public on_gpu {};

bench::outcome carried(workload::make_experiment<run_config>* make, traffic roles, bool by_block,
                       unsigned items, unsigned bytes, std::size_t capacity) {
  const auto which = make({.roles = roles,
                           .threads_per_block = 1024,
                           .by_block = by_block,
                           .items = items,
                           .item_bytes = bytes,
                           .capacity = capacity,
                           .rounds = 16});
  return workload::ending(*which);
}

TEST_F(queues_on_a_full_gpu, carry_each_item_once) {
  for (auto* make :
       {queue::make_slot, queue::make_segment, queue::make_slot_ordered, queue::make_vyukov}) {
    for (const unsigned bytes : {4u, 8u, 16u}) {
      for (const unsigned items : {1u, 4u}) {
        for (const std::size_t capacity : {0u, 4096u}) {
          const bench::outcome ended =
              carried(make, traffic::halves, items == 4, items, bytes, capacity);
          EXPECT_TRUE(ended.ok()) << bytes << ' ' << items << ' ' << capacity << ": "
                                  << ended.reason;
        }
        const bench::outcome ended = carried(make, traffic::both, items == 1, items, bytes, 0);
        EXPECT_TRUE(ended.ok()) << bytes << ' ' << items << ": " << ended.reason;
      }
    }
  }
}

TEST_F(queues_on_a_full_gpu, carry_each_item_once_by_tickets_that_are_drawn_late) {
  for (const unsigned items : {1u, 4u}) {
    for (const std::size_t capacity : {0u, 4096u}) {
      const bench::outcome ended =
          carried(queue::make_broker, traffic::halves, false, items, 8, capacity);
      EXPECT_TRUE(ended.ok()) << items << ' ' << capacity << ": " << ended.reason;
    }
  }
}

}  // namespace
}  // namespace finesync::test::queues_gpu_test
