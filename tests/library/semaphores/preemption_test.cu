// One preemption at every step of a small run: a preempted thread must not break the others.
#include "load_kernels.cuh"

#include <tests/catalogue/semaphores.hpp>
#include <tests/library/harness/harness.hpp>

namespace finesync::test::preemption_test {
namespace {

template <class Semaphore>
class preempted_semaphores : public ::testing::Test {};
TYPED_TEST_SUITE(preempted_semaphores, test_types_semaphores, test_types_semaphores_names);

TYPED_TEST(preempted_semaphores, serve_everybody) {
  // Uncounted, which makes runs short; three rounds of the ticket semaphore's four lines.
  const semaphore_load small{.blocks = 2,
                             .threads_per_block = 3,
                             .size = 3,
                             .rounds = 4,
                             .counted = false,
                             .watchdog_ns = 2'000'000};
  const auto right = [&] { return ends_right([&] { return serves_all<TypeParam>(small); }); };
  EXPECT_EQ(failing_preemptions(4500, 2000, right), 0u);
}

/// The first thread writes once, and then reads like the others.
template <class Semaphore>
__global__ void write_once(Semaphore semaphore, unsigned size, unsigned rounds,
                           cell<std::uint32_t>* finished, watchdog_ref watchdog) {
  for (unsigned i = 0; i < rounds; ++i) {
    const bool writes = threadIdx.x == 0 && i == 0;
    if (!run_with_permits(
            semaphore, writes ? size : 1, [] {}, watchdog))
      return;
  }
  add_one(*finished);
}

template <class Semaphore>
bool all_finish(unsigned threads, unsigned rounds) {
  constexpr unsigned size = 3;
  const Semaphore semaphore(size);
  const auto finished = zeroed(1);
  return ends_right([&] {
    ends(watchdog(2'000'000), write_once<decltype(semaphore.ref())>, {1, threads}, semaphore, size,
         rounds, finished);
    return first_of(finished) == threads;
  });
}

// A writer's exit publishes to one line of the ticket semaphore. It publishes to the other only
// after readers have passed all lines and returned to it. The late value is then old. The last
// reader of that line depends on the number of rounds.
TYPED_TEST(preempted_semaphores, take_no_harm_from_news_that_come_late) {
  for (unsigned rounds = 3; rounds < 12; ++rounds) {
    const auto right = [&] { return all_finish<TypeParam>(4, rounds); };
    EXPECT_EQ(failing_preemptions(1000, 1000, right), 0u) << rounds << " rounds";
  }
}

}  // namespace
}  // namespace finesync::test::preemption_test
