// Locks in shared memory, among the threads of one block.
#include "all_locks.hpp"
#include "counter_kernels.cuh"

namespace finesync::test {
namespace {

template <class Lock>
struct locked_counter {
  typename Lock::state lock;
  cell<std::uint32_t> count;
};

/// Each block counts in its shared memory and writes the result to its place in `sums`.
template <class Lock>
__global__ void count_in_block(cell<std::uint32_t>* sums, unsigned rounds, watchdog_ref dog) {
  auto& shared = shared_storage<locked_counter<Lock>>();
  if (threadIdx.x == 0) {
    auto* words = reinterpret_cast<cell<std::uint32_t>*>(&shared.lock);
    for (unsigned i = 0; i < sizeof(shared.lock) / 4; ++i) words[i] = 0u;
    shared.count = 0u;
  }
  __syncthreads();
  for (unsigned i = 0; i < rounds; ++i) {
    if (!run_exclusive(Lock(shared.lock), count_up{shared.count}, dog)) break;
  }
  __syncthreads();
  if (threadIdx.x == 0) sums[blockIdx.x] = shared.count;
}

template <class Lock>
class block_scope : public ::testing::Test {};
TYPED_TEST_SUITE(block_scope, locks_of_scope<scope::block>, lock_names);

TYPED_TEST(block_scope, loses_no_update_in_shared_memory) {
  constexpr unsigned blocks = 2;
  constexpr unsigned threads = 40;
  constexpr unsigned rounds = 3;
  for (unsigned seed = 0; seed < 200; ++seed) {
    simt::settings how;
    how.schedule = simt::schedule_kind::random;
    how.memory = simt::memory_kind::weak;
    how.seed = seed;
    simt::scoped_settings scoped(how);
    buffer<std::uint32_t> sums(blocks);
    watchdog dog;
    launch_cooperative(count_in_block<TypeParam>,
                       {blocks, threads, sizeof(locked_counter<TypeParam>)},
                       sums.as<cell<std::uint32_t>>(), rounds, dog.ref());
    const auto counted = sums.to_host();
    ASSERT_EQ(counted[0], threads * rounds) << "seed " << seed;
    ASSERT_EQ(counted[1], threads * rounds) << "seed " << seed;
  }
}

}  // namespace
}  // namespace finesync::test
