// One preemption at every step of a small run: nobody who is held up between two steps makes the
// others go wrong.
#include "all_semaphores.hpp"
#include "library_kernels.cuh"

#include <tests/locks/exploration.hpp>

namespace finesync::test {
namespace {

template <class Semaphore>
class preempted_semaphores : public ::testing::Test {};
TYPED_TEST_SUITE(preempted_semaphores, all_semaphores, semaphore_names);

TYPED_TEST(preempted_semaphores, serve_everybody) {
  // Uncounted, which makes runs short; three rounds of the ticketed one's four lines.
  const library small{.blocks = 2,
                      .threads_per_block = 3,
                      .size = 3,
                      .rounds = 4,
                      .counted = false,
                      .watchdog_ns = 2'000'000};
  const auto right = [&] {
    try {
      return serves_all<TypeParam>(small);
    } catch (const stuck_error&) {
      return false;
    }
  };
  EXPECT_EQ(failing_preemptions(4500, 2000, right), 0u);
}

}  // namespace
}  // namespace finesync::test
