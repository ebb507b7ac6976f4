// One preemption at every step of a small run: a preempted thread must not break the others.
#include "broken_barriers.hpp"
#include "exchange.hpp"

namespace finesync::test::preemption_test {
namespace {

constexpr exchange_config small{.blocks = 3, .threads_per_block = 2, .rounds = 2, .launches = 1};

template <class Barrier>
unsigned failing() {
  return failing_preemptions(1500, 1500, [] { return run_exchange<Barrier>(small).right(); });
}

template <class Barrier>
class preempted_barriers : public ::testing::Test {};
TYPED_TEST_SUITE(preempted_barriers, test_types_barriers, test_types_barriers_names);

TYPED_TEST(preempted_barriers, hand_everything_over) {
  EXPECT_EQ(failing<TypeParam>(), 0u);
}

TEST(broken_preempted_barriers, are_rejected) {
  EXPECT_GT((failing<flawed<releases_early, sense_reversing>>()), 0u);
}

}  // namespace
}  // namespace finesync::test::preemption_test
