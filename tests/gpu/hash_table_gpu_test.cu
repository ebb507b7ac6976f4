// The hash table on the device: right with every primitive, wrong with a lock that is none, ended
// by the watchdog when nobody gets in, refused when the grid does not fit.
#include "gpu_fixture.hpp"

#include <workloads/hash_table/table_inserter.cuh>

#include <tests/locks/no_lock.hpp>

#include <string>

namespace finesync::hash_table {
namespace {

constexpr setup contended{
    .what = {.collision_factor = 256, .inserts = 1 << 16, .table_size = 1 << 16},
    .threads_per_block = 64,
    .blocks_per_sm = 2,
    .padded_locks = false,
    .extra = 0};

class hash_table_on_gpu : public test::on_gpu {};

TEST_F(hash_table_on_gpu, is_right_with_every_primitive) {
  for (make_trial* make : {make_spin, make_ordered_spin, make_backoff, make_ticket, make_ring,
                           make_array, make_mcs, make_combining, make_carrying, make_libcudacxx,
                           make_server_basic, make_server_paper, make_server_fast, make_lockfree}) {
    const auto inserter = make(contended);
    for (int run = 0; run < 3; ++run) {
      inserter->reset();
      inserter->launch();
      const outcome ended = inserter->check();
      EXPECT_TRUE(ended.correct) << ended.detail;
    }
  }
}

TEST_F(hash_table_on_gpu, is_wrong_without_a_lock) {
  locked_inserter<test::no_lock> inserter(contended);
  inserter.launch();
  EXPECT_FALSE(inserter.check().correct);
}

/// Lets nobody in.
class closed : public test::no_lock {
 public:
  __device__ explicit closed(state& s) : no_lock(s) {}
  __device__ bool enter(request&) { return false; }
};

TEST_F(hash_table_on_gpu, is_given_up_when_nobody_gets_in) {
  locked_inserter<closed> inserter(contended);
  inserter.launch();
  const outcome ended = inserter.check();
  EXPECT_TRUE(ended.gave_up);
  EXPECT_FALSE(ended.correct);
}

TEST_F(hash_table_on_gpu, refuses_a_grid_that_does_not_fit) {
  setup huge = contended;
  huge.blocks_per_sm = 33;
  EXPECT_THROW(make_spin(huge), launch_error);
}

}  // namespace
}  // namespace finesync::hash_table
