// Every lock on the device: full occupancy in global memory, and in every block's shared memory.
#include "gpu_fixture.hpp"

#include <finesync/device/gpu.cuh>

#include <tests/locks/all_locks.hpp>
#include <tests/locks/counter_kernels.cuh>
#include <tests/locks/no_lock.hpp>

namespace finesync::test {
namespace {

/// As many threads as the GPU holds, in blocks of 64, under as many locks as let an unfair one end.
template <class Lock>
workshop full_gpu() {
  return {.blocks = max_resident_blocks(count_under_locks<Lock>, 64),
          .threads_per_block = 64,
          .locks = 1024,
          .rounds = 4};
}

template <class Lock>
class device_scope : public on_gpu {};
TYPED_TEST_SUITE(device_scope, locks_of_scope<scope::device>, lock_names);

TYPED_TEST(device_scope, loses_no_update_at_full_occupancy) {
  EXPECT_TRUE(counts_right<TypeParam>(full_gpu<TypeParam>()));
}

TYPED_TEST(device_scope, loses_no_update_under_one_lock) {
  EXPECT_TRUE(counts_right<TypeParam>({.blocks = 64, .locks = 1}));
}

template <class Lock>
class block_scope : public on_gpu {};
TYPED_TEST_SUITE(block_scope, locks_of_scope<scope::block>, lock_names);

TYPED_TEST(block_scope, loses_no_update_in_shared_memory) {
  EXPECT_TRUE(
      counts_right_in_blocks<TypeParam>({.blocks = 128, .threads_per_block = 256, .rounds = 16}));
}

class no_lock_on_gpu : public on_gpu {};

TEST_F(no_lock_on_gpu, is_rejected) {
  EXPECT_FALSE(counts_right<no_lock>(full_gpu<no_lock>()));
  EXPECT_FALSE(
      counts_right_in_blocks<no_lock>({.blocks = 128, .threads_per_block = 256, .rounds = 16}));
}

}  // namespace
}  // namespace finesync::test
