// Barriers of several GPUs in the program: right on any schedule, and broken ones rejected.
#include <finesync/barriers/sense_reversing_barrier.cuh>
#include <finesync/several_gpus/gpus_barrier.cuh>
#include <simt/settings.hpp>
#include <workloads/barrier/gpus_barriers.hpp>
#include <workloads/barrier/several_gpus/gpus_experiment.cuh>

#include <gtest/gtest.h>
#include <tests/primitives.hpp>
#include <tests/several_gpus/weaker_fences.cuh>

#include <memory>
#include <string>
#include <utility>
#include <vector>

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

simt::settings weak(unsigned seed) {
  return simt::random_schedule(seed, simt::memory_kind::weak);
}

class on_several_gpus : public ::testing::TestWithParam<workload::catalogue_entry<run_config>> {};

INSTANTIATE_TEST_SUITE_P(all, on_several_gpus,
                         ::testing::ValuesIn(workload::runnable(all_gpus_barriers())),
                         workload::name_of_primitive);

TEST_P(on_several_gpus, is_right_on_any_schedule) {
  for (const unsigned gpus : {1u, 2u, 4u}) {
    for (unsigned seed = 0; seed < 10; ++seed) {
      const simt::scoped_settings scoped(weak(seed));
      const auto experiment = GetParam().make(on_gpus(gpus));
      for (int run = 0; run < 2; ++run) {
        const bench::outcome ended = workload::ending(*experiment);
        ASSERT_TRUE(ended.ok()) << gpus << " GPUs, seed " << seed << ": " << ended.reason;
      }
    }
  }
}

TEST_P(on_several_gpus, tells_what_ran) {
  const bench::parameters effective = GetParam().make(on_gpus(4))->effective_parameters();
  EXPECT_EQ(std::get<long long>(effective.at("blocks")), 2);
  EXPECT_EQ(std::get<long long>(effective.at("devices")), 4);
  EXPECT_EQ(std::get<long long>(effective.at("rounds")), 4);
}

TEST_P(on_several_gpus, says_what_it_cannot_do) {
  const auto expect_refusal = [](const run_config& config, const std::string& words) {
    try {
      GetParam().make(config);
      FAIL() << "was accepted, without: " << words;
    } catch (const bench::infeasible& refusal) {
      EXPECT_NE(std::string(refusal.what()).find(words), std::string::npos) << refusal.what();
    }
  };
  run_config other = on_gpus(2);
  other.words_per_thread = 1;
  expect_refusal(other, "use --ldst 0");
  other = on_gpus(6);
  expect_refusal(other, "a thread of a block for each");
}

TEST(gpus_barrier_experiment, takes_the_plan_for_its_blocks_per_sm_unless_it_is_given_one) {
  run_config config = on_gpus(2);
  config.threads_per_block = 64;
  config.sms = 0;
  config.blocks_per_sm = 8;
  const auto counters_and_replicas = [&] {
    const bench::parameters effective =
        gpus_experiment_with<gpus_barrier>(config)->effective_parameters();
    return std::pair(std::get<long long>(effective.at("counters")),
                     std::get<long long>(effective.at("replicas")));
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
bench::outcome run_once(simt::memory_kind memory, unsigned seed) {
  const simt::scoped_settings scoped(simt::random_schedule(seed, memory));
  return workload::ending(*gpus_experiment_with<Barrier>(on_gpus(2)));
}

/// Of 20 seeds, the number that fail with a text that has these words.
template <class Barrier>
unsigned failing(simt::memory_kind memory, const std::string& complaint = "") {
  unsigned count = 0;
  for (unsigned seed = 0; seed < 20; ++seed) {
    const bench::outcome ended = run_once<Barrier>(memory, seed);
    if (!ended.ok() && ended.reason.find(complaint) != std::string::npos) ++count;
  }
  return count;
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
  EXPECT_EQ(failing<no_gpus_barrier>(simt::memory_kind::strong, "exchange of all blocks"), 20u);
  EXPECT_GT(failing<barrier_of_each_gpu>(simt::memory_kind::strong, "exchange of all blocks"), 10u);
}

}  // namespace
}  // namespace several_gpus_program_test
}  // namespace finesync::barrier
