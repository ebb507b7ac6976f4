// Memory traffic of a barrier: read-modify-writes.
#include "passes.hpp"

namespace finesync::test::traffic_test {
namespace {

constexpr unsigned sms = 4;  // of the executor's default GPU

template <class Barrier>
double count_read_modify_writes(const launch_shape& shape, unsigned times) {
  return counts_of_passes<Barrier>(shape, times).by_name()["rmw_device_global"];
}

/// Per block and barrier, without joining.
template <class Barrier>
double read_modify_writes(unsigned blocks_per_sm = 4) {
  const launch_shape shape{.blocks = blocks_per_sm * sms, .threads_per_block = 32};
  constexpr unsigned few = 4, more = 24;
  return (count_read_modify_writes<Barrier>(shape, more) -
          count_read_modify_writes<Barrier>(shape, few)) /
         ((more - few) * shape.blocks);
}

// Two barriers on the SM, and for one block in four, two of the leaders. Each is an addition and at
// least one poll, which is a compare-exchange.
TEST(traffic, of_the_atomic_tree_is_two_meetings_a_level) {
  EXPECT_GE(read_modify_writes<atomic_tree>(), 2 * 2 + 2 * 2 / 4.0);
  EXPECT_GE(read_modify_writes<atomic_tree>(1), 2 * 2);
}

TEST(traffic, of_the_sense_reversing_tree_is_one_addition_a_level) {
  EXPECT_EQ(read_modify_writes<sense_reversing>(), 1 + 1 / 4.0);
  EXPECT_EQ(read_modify_writes<sense_reversing>(1), 1);
}

// The thesis's claim.
TEST(traffic, of_the_sense_reversing_tree_is_at_most_half_of_the_atomic_tree) {
  for (const unsigned blocks_per_sm : {1u, 2u, 4u, 8u}) {
    const double atomic = read_modify_writes<atomic_tree>(blocks_per_sm);
    EXPECT_LE(2 * read_modify_writes<sense_reversing>(blocks_per_sm), atomic);
  }
}

TEST(traffic, of_the_lock_free_tree_has_no_read_modify_write) {
  EXPECT_EQ(read_modify_writes<lock_free_tree>(), 0);
}

TEST(traffic, of_counters_is_an_addition_per_copy) {
  EXPECT_EQ(read_modify_writes<flat_counters>(), 2);
  EXPECT_EQ(read_modify_writes<flat_counters_replicas>(), 2);
  EXPECT_EQ(read_modify_writes<sm_counters>(), 1 + 4 / 4.0);
  EXPECT_EQ(read_modify_writes<gather_broadcast>(), (15 + 4) / 16.0);  // the root adds for release
  EXPECT_EQ(read_modify_writes<cooperative_groups_barrier>(), 1);
  EXPECT_EQ(read_modify_writes<cutlass_counter_barrier<>>(), 1);
  EXPECT_EQ(read_modify_writes<cluster_barrier>(), 4 * 2);
}

}  // namespace
}  // namespace finesync::test::traffic_test
