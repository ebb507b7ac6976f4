// A hash table under a lock without exclusion must come out wrong.
#include <simt/settings.hpp>
#include <workloads/ht/insert_experiment.cuh>

#include <gtest/gtest.h>
#include <tests/locks/no_lock.hpp>

namespace finesync::ht {
namespace {

TEST(broken_lock, loses_nodes) {
  unsigned wrong = 0;
  for (unsigned seed = 0; seed < 20; ++seed) {
    const simt::scoped_settings scoped(simt::random_schedule(seed));
    lock_experiment<test::no_lock> experiment(
        {.problem = {.collision_factor = 32, .inserts = 300, .table_size = 4},
         .threads_per_block = 40,
         .blocks_per_sm = 1,
         .padded_locks = false,
         .section_work = 0});
    experiment.launch();
    if (!experiment.verify().ok()) ++wrong;
  }
  EXPECT_EQ(wrong, 20u);
}

}  // namespace
}  // namespace finesync::ht
