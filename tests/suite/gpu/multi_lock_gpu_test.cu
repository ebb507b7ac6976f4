// Several locks at once on the device: one block per SM, with few accounts and with many.
#include "gpu_fixture.hpp"

#include <finesync/host/gpu.cuh>
#include <finesync/locks/spin_lock.cuh>
#include <finesync/locks/tas_lock.cuh>
#include <finesync/locks/ticket_lock.cuh>
#include <finesync/locks/ttas_lock.cuh>

#include <tests/library/locks/set_kernels.cuh>

namespace finesync::test::lock_set_gpu_test {
namespace {

template <class Set>
class lock_sets : public on_gpu {};
using tas = tas_lock<scope::device>;
using sets = ::testing::Types<
    device_set<spin_lock<scope::device>, in_order>,
    device_set<ttas_lock<scope::device, exponential_backoff<64, 4096>>, in_order>,
    device_set<ticket_lock<scope::device, proportional_backoff<100, 4096>>, in_order>,
    device_set<tas, all_or_nothing<>>, device_set<tas, all_or_nothing<>, 4>>;
TYPED_TEST_SUITE(lock_sets, sets);

TYPED_TEST(lock_sets, lose_no_money_under_contention) {
  const auto sms = static_cast<unsigned>(current_gpu().sms);
  for (const unsigned accounts : {8u, 256u, 4096u}) {
    const bank of{.blocks = sms, .threads_per_block = 64, .accounts = accounts, .rounds = 4};
    EXPECT_TRUE(moves_right<TypeParam>(of)) << accounts;
  }
}

/// Locks one of the two.
struct half_a_set : device_set<tas, in_order> {
  __device__ half_a_set(const lock_table_ref<tas>& locks, const std::uint32_t (&indices)[2])
      : multi_lock(locks, {indices[0], indices[0]}) {}
};

class broken_lock_sets : public on_gpu {};

TEST_F(broken_lock_sets, lose_some) {
  EXPECT_FALSE(moves_right<half_a_set>({.blocks = 132, .threads_per_block = 64, .accounts = 8}));
}

}  // namespace
}  // namespace finesync::test::lock_set_gpu_test
