// Barriers of several GPUs in the program: right on any schedule, and broken ones rejected.
#include <finesync/barriers/sense_reversing_barrier.cuh>
#include <finesync/several_gpus/gpus_barrier.cuh>
#include <workloads/barrier/gpus_barriers.hpp>
#include <workloads/barrier/several_gpus/gpus_experiment.cuh>

#include <tests/library/several_gpus/weaker_fences.cuh>
#include <tests/programs_on_gpus.hpp>

#include <memory>
#include <utility>

namespace finesync::barrier {
namespace several_gpus_program_test {
namespace {

run_config on_gpus(unsigned gpus) {
  return {.threads_per_block = 5,
          .blocks_per_sm = 1,
          .sms = 2,
          .rounds = 4,
          .litmus = {.rounds = 4, .stores = 3},
          .gpus = gpus};
}

class on_several_gpus : public ::testing::TestWithParam<workload::catalogue_entry<run_config>> {};

INSTANTIATE_TEST_SUITE_P(all, on_several_gpus,
                         ::testing::ValuesIn(workload::runnable(all_gpus_barriers())),
                         workload::name_of_primitive);

TEST_P(on_several_gpus, is_right_on_any_schedule) {
  workload::expect_right_on_gpus(10, [](unsigned gpus) { return GetParam().make(on_gpus(gpus)); });
}

TEST_P(on_several_gpus, tells_what_ran) {
  const auto experiment = GetParam().make(on_gpus(4));
  EXPECT_EQ(workload::effective_number(*experiment, "blocks"), 2);
  EXPECT_EQ(workload::effective_number(*experiment, "devices"), 4);
  EXPECT_EQ(workload::effective_number(*experiment, "rounds"), 4);
}

TEST_P(on_several_gpus, says_what_it_cannot_do) {
  run_config other = on_gpus(2);
  other.words_per_thread = 1;
  workload::expect_infeasible([&] { GetParam().make(other); }, "use --ldst 0");
  workload::expect_infeasible([] { GetParam().make(on_gpus(6)); }, "a thread of a block for each");
}

TEST(gpus_barrier_experiment, takes_the_plan_for_its_blocks_per_sm_unless_it_is_given_one) {
  run_config config = on_gpus(2);
  config.threads_per_block = 64;
  config.sms = 0;
  config.blocks_per_sm = 8;
  const auto counters_and_replicas = [&] {
    const auto experiment = gpus_experiment_with<gpus_barrier>(config);
    return std::pair(workload::effective_number(*experiment, "counters"),
                     workload::effective_number(*experiment, "replicas"));
  };
  EXPECT_EQ(counters_and_replicas(), std::pair(4LL, 8LL));
  config.blocks_per_sm = 1;
  EXPECT_EQ(counters_and_replicas(), std::pair(1LL, 4LL));
  config.counters = {.number = 3, .replicas = 4};
  EXPECT_EQ(counters_and_replicas(), std::pair(3LL, 4LL));
}

/// There is no barrier at all.
struct no_gpus_barrier {
  struct participant {
    __device__ bool wait() { return true; }
  };
  struct ref_type {
    using participant = no_gpus_barrier::participant;
    __device__ participant join(const watchdog_ref&) const { return {}; }
  };
  no_gpus_barrier(const peers&, const launch_shape&) {}
  void reset() {}
  ref_type ref(unsigned) const { return {}; }
};
/// Each GPU has a barrier of its own.
struct barrier_of_each_gpu {
  using ref_type = sense_reversing_barrier<>::ref_type;
  barrier_of_each_gpu(const peers& all, const launch_shape& shape) {
    for (const stream& each : all.streams())
      grids_.push_back(std::make_unique<sense_reversing_barrier<>>(shape, each));
  }
  void reset() {
    for (auto& each : grids_) each->reset();
  }
  ref_type ref(unsigned me) const { return grids_[me]->ref(); }

 private:
  std::vector<std::unique_ptr<sense_reversing_barrier<>>> grids_;
};

template <class Barrier>
unsigned failing(simt::memory_kind memory, const std::string& complaint = "", unsigned enough = 1) {
  return workload::failing_runs(
      memory, [] { return gpus_experiment_with<Barrier>(on_gpus(2)); }, complaint, enough);
}

template <class Fences>
class crossing_with : public ::testing::Test {};
TYPED_TEST_SUITE(crossing_with, test::weaker_crossings);

TYPED_TEST(crossing_with, a_weaker_order_is_rejected) {
  EXPECT_GT(failing<basic_gpus_barrier<TypeParam>>(simt::memory_kind::weak), 0u);
}

TEST(on_gpus_verification, passes_the_same_with_the_right_order) {
  EXPECT_EQ(failing<basic_gpus_barrier<gpus_fences>>(simt::memory_kind::weak), 0u);
}

TEST(on_gpus_verification, rejects_what_is_no_barrier_of_all_gpus) {
  EXPECT_EQ(failing<no_gpus_barrier>(simt::memory_kind::strong, "exchange of all blocks", 20), 20u);
  EXPECT_GT(failing<barrier_of_each_gpu>(simt::memory_kind::strong, "exchange of all blocks", 11),
            10u);
}

}  // namespace
}  // namespace several_gpus_program_test
}  // namespace finesync::barrier
