// Atomic operations of all GPUs on entries that are spread over them: right, and wrong if their
// scope is too narrow.
#include <workloads/ht/gpus_servers_makers.hpp>
#include <workloads/ht/several_gpus/gpus_lockfree.cuh>

#include <tests/primitives.hpp>
#include <tests/programs_in_processes.hpp>

namespace finesync::ht {
namespace gpus_lockfree_test {
namespace {

run_config on_gpus(unsigned gpus, section_kind section) {
  return {.problem = {.collision_factor = 32, .inserts = 300, .table_size = 64},
          .threads_per_block = 40,
          .sms = 2,
          .section = section,
          .gpus = gpus};
}

/// The number of schedules with a wrong result.
template <class Make>
unsigned wrong_of(const Make& make, const run_config& config, unsigned seeds) {
  unsigned wrong = 0;
  for (unsigned seed = 0; seed < seeds; ++seed) {
    const simt::scoped_settings scoped(simt::random_schedule(seed, simt::memory_kind::weak));
    wrong += !workload::ending(*make(config)).ok();
  }
  return wrong;
}

class lockfree_on_gpus : public ::testing::TestWithParam<section_kind> {};

INSTANTIATE_TEST_SUITE_P(sections, lockfree_on_gpus,
                         ::testing::Values(section_kind::push, section_kind::count),
                         [](const auto& tested) {
                           return tested.param == section_kind::push ? "push" : "count";
                         });

TEST_P(lockfree_on_gpus, is_right_on_any_schedule) {
  for (const unsigned gpus : {1u, 2u, 3u}) {
    const run_config config = on_gpus(gpus, GetParam());
    EXPECT_EQ(wrong_of(make_gpus_lockfree, config, 3), 0u) << gpus << " GPUs";
    EXPECT_FALSE(make_gpus_lockfree(config)->verify().ok()) << "nothing is there yet";
    workload::expect_right(*make_gpus_lockfree(config));
  }
}

TEST_P(lockfree_on_gpus, is_right_in_processes) {
  workload::expect_right_in_processes([] {
    run_config config = on_gpus(2, GetParam());
    config.engine = workload::engine_kind::nccl;
    return make_gpus_lockfree(config);
  });
}

TEST_P(lockfree_on_gpus, of_device_scope_is_rejected) {
  const auto make = [](const run_config& config) {
    return std::make_unique<gpus_lockfree_experiment<scope::device>>(config);
  };
  EXPECT_EQ(wrong_of(make, on_gpus(1, GetParam()), 3), 0u);
  EXPECT_GT(wrong_of(make, on_gpus(2, GetParam()), 5), 0u);
}

TEST(lockfree_on_several_gpus, has_no_empty_sections) {
  EXPECT_THROW(make_gpus_lockfree(on_gpus(2, section_kind::empty)), bench::infeasible);
}

TEST(lockfree_on_several_gpus, has_a_grid_on_each) {
  run_config open = on_gpus(4, section_kind::count);
  open.blocks_per_sm = open.sms = 0;
  const bench::parameters ran = make_gpus_lockfree(open)->effective_parameters();
  EXPECT_EQ(std::get<long long>(ran.at("devices")), 4);
  EXPECT_GE(std::get<long long>(ran.at("blocks")), 4);
}

}  // namespace
}  // namespace gpus_lockfree_test
}  // namespace finesync::ht
