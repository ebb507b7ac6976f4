// Locks in shared memory, among the threads of one block.
#include "exploration.hpp"

#include <tests/catalogue/locks.hpp>

namespace finesync::test::block_scope_test {
namespace {

template <class Lock>
class block_scope : public ::testing::Test {};
TYPED_TEST_SUITE(block_scope, test_types_in_block_locks, test_types_in_block_locks_names);

TYPED_TEST(block_scope, loses_no_update_in_shared_memory) {
  const auto right = [] { return counts_right_in_blocks<TypeParam>({}); };
  EXPECT_EQ(failing_seeds(simt::memory_kind::weak, seed_budget(100), right), 0u);
}

}  // namespace
}  // namespace finesync::test::block_scope_test
