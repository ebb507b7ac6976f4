// A block that enters as a whole: all its threads are inside while its thread 0 holds the permits.
#include <finesync/semaphores/semaphore.cuh>

#include <tests/catalogue/semaphores.hpp>
#include <tests/library/harness/harness.hpp>

namespace finesync::test::whole_block_test {
namespace {

constexpr unsigned threads = 40;  // a full warp and a part of one
constexpr unsigned blocks = 4;

/// Even blocks write their edition, a word per thread; odd ones check that all words are the same.
template <class Semaphore>
__global__ void use(Semaphore semaphore, unsigned size, cell<std::uint32_t>* words,
                    cell<std::uint32_t>* torn, unsigned rounds, watchdog_ref watchdog) {
  const bool writes = blockIdx.x % 2 == 0;
  const auto section = [&] {
    const std::uint32_t mine = words[threadIdx.x];
    if (mine != words[(threadIdx.x + 1) % blockDim.x]) torn[blockIdx.x] = 1u;
    __syncthreads();
    if (writes) words[threadIdx.x] = mine + 1;
  };
  for (unsigned i = 0; i < rounds; ++i)
    if (!run_block_with_permits(semaphore, writes ? size : 1, section, watchdog)) return;
}

template <class Semaphore>
bool blocks_take_turns() {
  const unsigned size = 2;
  const unsigned rounds = 3;
  const Semaphore semaphore(size);
  const auto words = zeroed(threads);
  const auto torn = zeroed(blocks);
  return ends(watchdog(1'000'000'000), use<decltype(semaphore.ref())>, {blocks, threads}, semaphore,
              size, words, torn, rounds) &&
         all_are(words, blocks / 2 * rounds) && all_are(torn, 0);
}

template <class Semaphore>
class whole_blocks : public ::testing::Test {};
TYPED_TEST_SUITE(whole_blocks, test_types_semaphores, test_types_semaphores_names);

TYPED_TEST(whole_blocks, take_turns_in_weak_memory) {
  const auto right = [] { return blocks_take_turns<TypeParam>(); };
  EXPECT_EQ(failing_seeds(weak, 200, right), 0u);
}

/// Block 0 takes all permits and ends; the other blocks' threads must all agree to time out.
template <class Semaphore>
__global__ void wait_for_ever(Semaphore semaphore, watchdog_ref watchdog) {
  if (blockIdx.x == 0) {
    if (threadIdx.x != 0) return;
    auto acquisition = semaphore.enqueue(1);
    while (!semaphore.try_enter(acquisition)) semaphore.wait(acquisition);
  } else {
    while (run_block_with_permits(
        semaphore, 1, [] {}, watchdog)) {
    }
  }
}

template <class Semaphore>
void gives_up_together() {
  const Semaphore semaphore(1);
  EXPECT_FALSE(
      ends(watchdog(soon_ns), wait_for_ever<decltype(semaphore.ref())>, {2, threads}, semaphore));
}

TEST(whole_block, gives_up_together) {
  gives_up_together<cas_semaphore<no_backoff>>();
}

TEST(whole_block, that_tries_together_gives_up_together) {
  gives_up_together<spin_printed_semaphore<no_backoff>>();
}

}  // namespace
}  // namespace finesync::test::whole_block_test
