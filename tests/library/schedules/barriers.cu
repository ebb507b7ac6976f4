#include "schedules.hpp"

#include <tests/catalogue/barriers.hpp>
#include <tests/library/barriers/exchange.hpp>

namespace finesync::test {
namespace {

template <class Barrier>
class barriers_on_many_schedules : public ::testing::Test {};
TYPED_TEST_SUITE(barriers_on_many_schedules, test_types_barriers, test_types_barriers_names);

TYPED_TEST(barriers_on_many_schedules, have_no_race) {
  EXPECT_EQ(failing_of_many([] {
              return run_exchange<TypeParam>(
                         {.blocks = 3, .threads_per_block = 2, .rounds = 2, .launches = 1})
                  .right();
            }),
            0u);
}

}  // namespace
}  // namespace finesync::test
