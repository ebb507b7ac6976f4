// X_lock<scope::device> is a lock for every lock X of the catalogue: its other arguments have
// defaults.
#include "exploration.hpp"

#include <tests/catalogue/locks.hpp>

namespace finesync::test::by_name_test {
namespace {

template <class Lock>
class by_name : public ::testing::Test {};
TYPED_TEST_SUITE(by_name, types_by_name_locks, types_by_name_locks_names);

// One thread per block, as some locks are for one.
TYPED_TEST(by_name, counts_right_with_one_thread_per_block) {
  const workshop shop{.blocks = 4, .threads_per_block = 32, .locks = 1, .alone = true};
  EXPECT_EQ(failing_seeds<TypeParam>(shop, simt::memory_kind::weak, 20), 0u);
}

}  // namespace
}  // namespace finesync::test::by_name_test
