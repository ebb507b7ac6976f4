// Every semaphore on the device: the same library of readers and writers, and the workload's own
// checks at full occupancy.
#include "gpu_fixture.hpp"

#include <finesync/device/backoff.cuh>
#include <finesync/device/watchdog.cuh>
#include <workloads/semaphore/semaphore_experiment.cuh>
#include <workloads/semaphore/semaphores_makers.hpp>

#include <tests/catalogue/semaphores.hpp>
#include <tests/library/semaphores/library_kernels.cuh>
#include <tests/library/semaphores/no_semaphore.hpp>
#include <tests/primitives.hpp>

namespace finesync::test::semaphores_gpu_test {
namespace {

template <class Semaphore>
class semaphores : public on_gpu {};
using patient_semaphores =
    ::testing::Types<spin_semaphore<exponential_backoff<32, 1024>>,
                     priority_semaphore<exponential_backoff<32, 1024>>,
                     spin_printed_semaphore<steps_by_role>,
                     priority_printed_semaphore<steps_by_role>,
                     cas_semaphore<exponential_backoff<64, 4096>>, ticket_semaphore<>>;
TYPED_TEST_SUITE(semaphores, patient_semaphores, test_types_semaphores_names);

// Few blocks: the spin semaphore comes to a standstill with many, which is a result and no error.
TYPED_TEST(semaphores, serve_readers_and_writers) {
  for (const unsigned size : {1u, 3u, 10u}) {
    const library plan{.blocks = 8,
                       .threads_per_block = 4,
                       .size = size,
                       .rounds = 50,
                       .watchdog_ns = default_watchdog_ns()};
    EXPECT_TRUE(serves_all<TypeParam>(plan)) << size;
  }
}

using semaphore::run_config;

/// 32 blocks of 64 threads on every SM.
bench::outcome contended(workload::make_experiment<run_config>* make, unsigned size, unsigned ldst,
                         bool writers = true, bool writer_grows = false) {
  const auto which = make({.size = size,
                           .blocks_per_sm = 32,
                           .ldst = ldst,
                           .rounds = 4,
                           .writers = writers,
                           .writer_grows = writer_grows});
  return workload::ending(*which);
}

class semaphores_on_a_full_gpu : public on_gpu {};

TEST_F(semaphores_on_a_full_gpu, finish_and_are_right) {
  for (auto* make : {semaphore::make_priority, semaphore::make_cas, semaphore::make_ticket}) {
    for (const unsigned size : {1u, 10u, 120u}) {
      for (const unsigned ldst : {0u, 10u}) {
        const bench::outcome ended = contended(make, size, ldst);
        EXPECT_TRUE(ended.ok()) << size << ' ' << ldst << ": " << ended.reason;
      }
    }
  }
}

// The spin semaphore would not finish.
TEST_F(semaphores_on_a_full_gpu, finish_and_are_right_under_the_thesis_s_load) {
  for (auto* make : {semaphore::make_priority_printed, semaphore::make_ticket}) {
    for (const unsigned size : {1u, 10u, 120u}) {
      const bench::outcome ended = contended(make, size, 10, true, true);
      EXPECT_TRUE(ended.ok()) << size << ": " << ended.reason;
    }
  }
}

TEST_F(semaphores_on_a_full_gpu, may_be_libcudacxx_for_readers) {
  for (const unsigned size : {1u, 10u, 120u}) {
    const bench::outcome ended = contended(semaphore::make_libcudacxx, size, 0, false);
    EXPECT_TRUE(ended.ok()) << size << ": " << ended.reason;
  }
}

/// A semaphore without exclusion.
struct no_gate {
  explicit no_gate(unsigned) {}
  void reset() {}
  no_semaphore ref() const { return {}; }
};

TEST_F(semaphores_on_a_full_gpu, show_when_there_is_none) {
  EXPECT_FALSE(contended(semaphore::experiment_at<no_gate>, 10, 0).ok());
  EXPECT_FALSE(contended(semaphore::experiment_at<no_gate>, 10, 10).ok());
  EXPECT_FALSE(contended(semaphore::experiment_at<no_gate>, 10, 10, true, true).ok());
}

}  // namespace
}  // namespace finesync::test::semaphores_gpu_test
