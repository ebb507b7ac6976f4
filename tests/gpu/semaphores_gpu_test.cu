// Every semaphore on the device: the same library of readers and writers, and the workload's own
// checks at full occupancy.
#include "gpu_fixture.hpp"

#include <finesync/device/backoff.cuh>
#include <finesync/device/watchdog.cuh>
#include <workloads/semaphore/semaphore_competition.cuh>

#include <tests/semaphores/all_semaphores.hpp>
#include <tests/semaphores/library_kernels.cuh>

namespace finesync::test {
namespace {

template <class Semaphore>
class semaphores : public on_gpu {};
using patient_semaphores =
    ::testing::Types<spin_semaphore<exponential_backoff<32, 1024>>,
                     priority_semaphore<exponential_backoff<32, 1024>>,
                     word_semaphore<exponential_backoff<64, 4096>>, ticketed_semaphore<>>;
TYPED_TEST_SUITE(semaphores, patient_semaphores, semaphore_names);

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

using semaphore::outcome;
using semaphore::setup;

/// 32 blocks of 64 threads on every SM.
outcome contended(semaphore::make_trial* make, unsigned size, unsigned ldst, bool writers = true) {
  const auto which = make({.size = size,
                           .blocks_per_sm = 32,
                           .threads_per_block = 64,
                           .ldst = ldst,
                           .rounds = 4,
                           .writers = writers,
                           .backoff = true});
  which->reset();
  which->launch();
  return which->check();
}

class semaphores_on_a_full_gpu : public on_gpu {};

TEST_F(semaphores_on_a_full_gpu, finish_and_are_right) {
  for (auto* make : {semaphore::make_priority, semaphore::make_word, semaphore::make_ticketed}) {
    for (const unsigned size : {1u, 10u, 120u}) {
      for (const unsigned ldst : {0u, 10u}) {
        const outcome ended = contended(make, size, ldst);
        EXPECT_TRUE(ended.correct) << size << ' ' << ldst << ": " << ended.detail;
      }
    }
  }
}

TEST_F(semaphores_on_a_full_gpu, may_be_libcudacxx_for_readers) {
  for (const unsigned size : {1u, 10u, 120u}) {
    const outcome ended = contended(semaphore::make_libcudacxx, size, 0, false);
    EXPECT_TRUE(ended.correct) << size << ": " << ended.detail;
  }
}

/// A semaphore that is none.
struct open_door {
  explicit open_door(unsigned) {}
  void reset() {}
  semaphore::no_semaphore ref() const { return {}; }
};

TEST_F(semaphores_on_a_full_gpu, show_when_there_is_none) {
  EXPECT_FALSE(contended(semaphore::compete<open_door>, 10, 0).correct);
  EXPECT_FALSE(contended(semaphore::compete<open_door>, 10, 10).correct);
}

}  // namespace
}  // namespace finesync::test
