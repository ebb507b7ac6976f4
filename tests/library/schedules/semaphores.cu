#include "schedules.hpp"

#include <tests/catalogue/semaphores.hpp>
#include <tests/library/semaphores/load_kernels.cuh>

namespace finesync::test {
namespace {

template <class Semaphore>
class semaphores_on_many_schedules : public ::testing::Test {};
TYPED_TEST_SUITE(semaphores_on_many_schedules, test_types_semaphores, test_types_semaphores_names);

TYPED_TEST(semaphores_on_many_schedules, have_no_race) {
  EXPECT_EQ(failing_of_many([] {
              return serves_all<TypeParam>(
                  {.blocks = 2, .threads_per_block = 2, .size = 2, .rounds = 2, .counted = false});
            }),
            0u);
}

}  // namespace
}  // namespace finesync::test
