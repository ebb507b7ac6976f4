// Every lock on the device: full occupancy in global memory, one lock for all threads, and locks in
// every block's shared memory.
#include "gpu_fixture.hpp"

#include <finesync/host/gpu.cuh>
#include <workloads/common/libcudacxx_lock.cuh>

#include <tests/catalogue/locks.hpp>
#include <tests/library/locks/counter_kernels.cuh>
#include <tests/library/locks/no_lock.hpp>

#include <algorithm>
#include <type_traits>

namespace finesync::test::locks_gpu_test {
namespace {

/// Blocks of 64 threads, as many of the requested ones as fit. Locks with slots in a cluster get
/// clusters of 8 if there are any.
template <class Lock>
workshop workshop_for(unsigned max_blocks) {
  const auto fitting = [](unsigned cluster_blocks) {
    return max_resident_blocks(count_under_locks<Lock>, max_threads, sizeof(slots<Lock>),
                               cluster_blocks);
  };
  const unsigned cluster = has_block_storage<Lock> && fitting(8) > 0 ? 8 : 1;
  const unsigned blocks = std::min(max_blocks, fitting(cluster));
  return {.blocks = blocks - blocks % cluster,
          .threads_per_block = max_threads,
          .cluster_blocks = cluster};
}

/// As many threads as the GPU holds, with enough locks for an unfair one to end.
template <class Lock>
workshop full_gpu() {
  workshop shop = workshop_for<Lock>(~0u);
  shop.locks = has_block_storage<Lock> ? max_locks : 1024;
  shop.rounds = 4;
  return shop;
}

template <class Lock>
workshop one_lock(unsigned blocks_per_sm) {
  workshop shop = workshop_for<Lock>(blocks_per_sm * static_cast<unsigned>(current_gpu().sms));
  shop.locks = 1;
  return shop;
}

/// Try-locks without back-off: with 67,584 threads that retry, some starve beyond the watchdog.
template <class Lock>
inline constexpr bool hammers =
    std::is_same_v<Lock, spin_lock<scope::device>> || std::is_same_v<Lock, tas_lock<scope::device>>;

template <class Lock>
class device_scope : public on_gpu {};
TYPED_TEST_SUITE(device_scope, test_types_locks, test_types_locks_names);

TYPED_TEST(device_scope, loses_no_update_at_full_occupancy) {
  EXPECT_TRUE(counts_right<TypeParam>(full_gpu<TypeParam>()));
}

TYPED_TEST(device_scope, loses_no_update_under_one_lock) {
  EXPECT_TRUE(counts_right<TypeParam>(one_lock<TypeParam>(1)));
  if constexpr (!hammers<TypeParam>) EXPECT_TRUE(counts_right<TypeParam>(one_lock<TypeParam>(8)));
}

template <class Lock>
class block_scope : public on_gpu {};
TYPED_TEST_SUITE(block_scope, test_types_in_block_locks, test_types_in_block_locks_names);

TYPED_TEST(block_scope, loses_no_update_in_shared_memory) {
  EXPECT_TRUE(
      counts_right_in_blocks<TypeParam>({.blocks = 128, .threads_per_block = 256, .rounds = 16}));
}

class peer_on_gpu : public on_gpu {};

TEST_F(peer_on_gpu, loses_no_update) {
  using lock = workload::libcudacxx_lock;
  EXPECT_TRUE(counts_right<lock>(full_gpu<lock>()));
  EXPECT_TRUE(counts_right<lock>(one_lock<lock>(1)));
}

class no_lock_on_gpu : public on_gpu {};

TEST_F(no_lock_on_gpu, is_rejected) {
  EXPECT_FALSE(counts_right<no_lock>(full_gpu<no_lock>()));
  EXPECT_FALSE(
      counts_right_in_blocks<no_lock>({.blocks = 128, .threads_per_block = 256, .rounds = 16}));
}

}  // namespace
}  // namespace finesync::test::locks_gpu_test
