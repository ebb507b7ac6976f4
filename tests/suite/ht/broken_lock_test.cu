// A hash table under a lock without exclusion must come out wrong, also with servers.
#include <finesync/server/fast/channel.cuh>
#include <workloads/ht/insert_experiment.cuh>
#include <workloads/ht/server_experiment.cuh>

#include <tests/library/locks/no_lock.hpp>
#include <tests/primitives.hpp>

namespace finesync::ht {
namespace {

constexpr run_config crowded{.problem = {.collision_factor = 32, .inserts = 300, .table_size = 4},
                             .threads_per_block = 40};

TEST(broken_lock, loses_nodes) {
  unsigned wrong = 0;
  for (unsigned seed = 0; seed < 20; ++seed) {
    const simt::scoped_settings scoped(simt::random_schedule(seed));
    lock_experiment<test::no_lock> experiment(crowded);
    wrong += !workload::ending(experiment).ok();
  }
  EXPECT_EQ(wrong, 20u);
}

TEST(broken_lock, is_wrong_with_empty_sections_too) {
  run_config empty = crowded;
  empty.section = section_kind::empty;
  unsigned wrong = 0;
  for (unsigned seed = 0; seed < 20; ++seed) {
    const simt::scoped_settings scoped(simt::random_schedule(seed));
    lock_experiment<test::no_lock> experiment(empty);
    EXPECT_NE(experiment.unverified(), "");
    wrong += !workload::ending(experiment).ok();
  }
  EXPECT_EQ(wrong, 20u);
}

TEST(broken_lock, loses_counts_of_servers) {
  run_config counting = crowded;
  counting.threads_per_block = 64;
  counting.section = section_kind::count;
  counting.servers = {.percent = 50, .ring = 64, .locks = 32, .local_buffer = 32};
  unsigned wrong = 0;
  for (unsigned seed = 0; seed < 5; ++seed) {
    const simt::scoped_settings scoped(simt::random_schedule(seed));
    server_experiment<fast_channel<std::uint32_t>, run_each<test::no_lock>, modulo_partition,
                      owned_push_service>
        experiment(counting);
    wrong += !workload::ending(experiment).ok();
  }
  EXPECT_EQ(wrong, 5u);
}

/// The latencies and retries of a row come from this run.
TEST(broken_lock, is_wrong_in_the_observed_run) {
  const simt::scoped_settings scoped(simt::random_schedule(0));
  EXPECT_THROW(lock_experiment<test::no_lock>(crowded).measure(), bench::failed_run);
}

}  // namespace
}  // namespace finesync::ht
