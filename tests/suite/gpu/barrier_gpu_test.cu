// Every grid barrier on the device: correct data and the litmus test, with several grid and block
// sizes. The litmus test itself must detect an arrival that releases nothing.
#include "gpu_fixture.hpp"

#include <finesync/device/dependent_launch.cuh>
#include <finesync/host/watchdog.cuh>
#include <workloads/applications/libcudacxx_barrier.cuh>
#include <workloads/barrier/barrier_experiment.cuh>
#include <workloads/barrier/barriers_makers.hpp>
#include <workloads/barrier/relaunch/relaunch_experiment.cuh>

#include <tests/primitives.hpp>
#include <tests/suite/barrier_program/breakable_barrier.cuh>

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace finesync::barrier {
namespace {

using test::breakable_barrier;
using test::flaw;

run_config grid(unsigned blocks_per_sm, unsigned threads_per_block) {
  return {.threads_per_block = threads_per_block,
          .blocks_per_sm = blocks_per_sm,
          .rounds = 100,
          .words_per_thread = 4};
}

class barriers_on_gpu : public test::on_gpu,
                        public testing::WithParamInterface<workload::catalogue_entry<run_config>> {
};

INSTANTIATE_TEST_SUITE_P(all, barriers_on_gpu,
                         testing::ValuesIn(workload::runnable(all_barriers())),
                         workload::name_of_primitive);

TEST_P(barriers_on_gpu, are_right_in_blocks_of_64) {
  for (const unsigned blocks_per_sm : {1u, 4u})
    workload::expect_right_or_skip(GetParam().make, grid(blocks_per_sm, 64));
}

TEST_P(barriers_on_gpu, are_right_in_small_and_large_blocks) {
  for (const unsigned threads : {7u, 1024u})
    workload::expect_right_or_skip(GetParam().make, grid(1, threads));
}

TEST_P(barriers_on_gpu, are_right_among_the_blocks_of_an_sm) {
  run_config local = grid(4, 64);
  local.local_exchange = true;
  workload::expect_right_or_skip(GetParam().make, local);
}

TEST_P(barriers_on_gpu, are_right_beside_work) {
  using enum barrier_form;
  const std::string_view name = GetParam().name;
  if (name == "cluster" || name == "graph_relaunch" || name == "dependent_launch")
    GTEST_SKIP() << "it cannot";
  for (const barrier_form form : {blocking, split_phase, overlapped}) {
    for (const unsigned blocks_per_sm : {1u, 8u}) {
      run_config config = grid(blocks_per_sm, 64);
      config.words_per_thread = 0;
      config.form = form;
      config.work_cycles = 500;
      try {
        workload::expect_right(*GetParam().make(config));
      } catch (const bench::infeasible&) {
        continue;  // tests/suite/barrier_program covers which forms it has
      }
    }
  }
}

class payload_on_gpu : public test::on_gpu {};

TEST_F(payload_on_gpu, is_what_all_have_brought) {
  using enum barrier_form;
  for (const auto make : {make_flat_counters, make_gather_broadcast}) {
    for (const barrier_form form : {blocking, split_phase, overlapped}) {
      for (const reduction_kind what :
           {reduction_kind::sum, reduction_kind::minimum, reduction_kind::any}) {
        run_config config = grid(4, 64);
        config.words_per_thread = 0;
        config.form = form;
        config.reduction = what;
        workload::expect_right(*make(config));
        if (make != make_flat_counters || what == reduction_kind::minimum) continue;
        config.execution_only = true;
        workload::expect_right(*make(config));
      }
    }
  }
}

/// Block 0 stays away.
template <class BarrierRef>
__global__ void wait_for_block_0(BarrierRef barrier, std::uint32_t* gave_up,
                                 watchdog_ref watchdog) {
  auto participant = barrier.join(watchdog);
  if (blockIdx.x != 0 && !participant.wait()) gave_up[blockIdx.x * blockDim.x + threadIdx.x] = 1;
}

class libcudacxx_on_gpu : public test::on_gpu {};

// The library's own wait would never end. tests/library/barriers tries those of the catalogue.
TEST_F(libcudacxx_on_gpu, ends_the_wait_for_a_block_that_never_arrives) {
  const launch_shape shape{.blocks = 8, .threads_per_block = 64};
  const applications::libcudacxx_barrier barrier(shape);
  auto gave_up = buffer<std::uint32_t>::zeroed(shape.blocks * shape.threads_per_block);
  const watchdog timeout(20'000'000);
  launch_cooperative(wait_for_block_0<applications::libcudacxx_barrier::ref_type>, shape,
                     barrier.ref(), gave_up.raw_pointer(), timeout.ref());
  stream().synchronize();
  EXPECT_TRUE(timeout.fired());
  const std::vector<std::uint32_t> threads = gave_up.to_host();
  EXPECT_EQ(std::count(threads.begin(), threads.end(), 1u),
            (shape.blocks - 1) * shape.threads_per_block);
}

class verification_on_gpu : public test::on_gpu {};

template <flaw Flaw>
bench::outcome verified(const run_config& config) {
  barrier_experiment<breakable_barrier<Flaw>> experiment(config);
  experiment.launch();
  return experiment.verify();
}

TEST_F(verification_on_gpu, passes_a_right_barrier) {
  for (const unsigned blocks_per_sm : {1u, 4u}) {
    const bench::outcome ended = verified<flaw::none>(grid(blocks_per_sm, 64));
    EXPECT_TRUE(ended.ok()) << ended.reason;
  }
}

TEST_F(verification_on_gpu, rejects_a_missing_release_by_the_litmus_test) {
  run_config idle = grid(1, 64);
  idle.words_per_thread = 0;
  bench::outcome ended;
  for (int run = 0; run < 50 && ended.ok(); ++run)  // a single run may be correct by chance
    ended = verified<flaw::no_release>(idle);
  EXPECT_TRUE(ended.reason.starts_with("litmus test")) << ended.reason;
}

TEST_F(verification_on_gpu, rejects_a_missing_acquire) {
  EXPECT_FALSE(verified<flaw::no_acquire>(grid(1, 64)).ok());
}

TEST_F(verification_on_gpu, rejects_no_barrier_and_one_that_leaves_a_block_behind) {
  EXPECT_FALSE(verified<flaw::never_waits>(grid(1, 64)).ok());
  EXPECT_FALSE(verified<flaw::leaves_early>(grid(1, 64)).ok());
}

/// A dependent launch without its wait.
struct without_wait {
  static constexpr kernel_order order = kernel_order::dependent;
  __device__ static void follow() { launch_next_kernel(); }
};

TEST_F(verification_on_gpu, rejects_a_dependent_launch_that_does_not_wait) {
  for (const unsigned words : {0u, 4u}) {
    run_config config = grid(1, 64);
    config.words_per_thread = words;
    try {
      relaunch_experiment<without_wait> experiment(config);
      experiment.launch();
      EXPECT_FALSE(experiment.verify().ok()) << words << " words per thread";
    } catch (const launch_error& why) {
      GTEST_SKIP() << why.what();
    }
  }
}

TEST_F(verification_on_gpu, rejects_a_barrier_of_the_sm_that_is_none) {
  run_config local = grid(4, 64);
  local.local_exchange = true;
  EXPECT_FALSE(verified<flaw::forgets_the_sm>(local).ok());
}

TEST_F(verification_on_gpu, gives_up_on_a_barrier_that_never_opens) {
  EXPECT_TRUE(verified<flaw::never_opens>(grid(1, 64)).what == bench::status::timeout);
}

}  // namespace
}  // namespace finesync::barrier
