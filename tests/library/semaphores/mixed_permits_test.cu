// Numbers of permits between one and all, which readers and writers do not use.
#include <finesync/device/watchdog.cuh>
#include <finesync/host/buffer.cuh>
#include <finesync/host/launch.cuh>
#include <finesync/host/watchdog.cuh>
#include <finesync/semaphores/semaphore.cuh>

#include <tests/catalogue/semaphores.hpp>
#include <tests/library/locks/exploration.hpp>

namespace finesync::test::mixed_permits_test {
namespace {

constexpr unsigned blocks = 3;
constexpr unsigned threads = 5;  // of a block
constexpr unsigned rounds = 3;

__host__ __device__ unsigned permits_of(unsigned thread, unsigned round, unsigned size) {
  return 1 + (thread * 7 + round * 3) % size;
}

/// Words of the test, each on its own cache line.
enum desk { inside, overfull, finished, together, desks };
constexpr unsigned line = line_bytes / sizeof(std::uint32_t);

/// Only one thread can have more than half of the permits, so it increments a plain counter.
template <class Semaphore>
__global__ void come_and_go(Semaphore semaphore, unsigned size, cell<std::uint32_t>* words,
                            watchdog_ref watchdog) {
  const unsigned me = blockIdx.x * blockDim.x + threadIdx.x;
  const auto word = [&](desk which) {
    return atomic_ref<std::uint32_t, scope::device>(words[which * line]);
  };
  for (unsigned i = 0; i < rounds; ++i) {
    const unsigned permits = permits_of(me, i, size);
    const auto section = [&] {
      const std::uint32_t before = word(inside).fetch_add(permits, memory_order::relaxed);
      if (before + permits > size) word(overfull).fetch_add(1, memory_order::relaxed);
      if (2 * permits > size) words[together * line] = words[together * line] + 1;
      word(inside).fetch_add(0 - permits, memory_order::relaxed);
    };
    if (!run_with_permits(semaphore, permits, section, watchdog)) return;
  }
  word(finished).fetch_add(1, memory_order::relaxed);
}

template <class Semaphore>
bool all_come_and_go(unsigned size) {
  const Semaphore semaphore(size);
  auto words = buffer<std::uint32_t>::zeroed(desks * line);
  const watchdog timeout(1'000'000'000);  // nominal ns: a spin semaphore may take long
  try {
    launch_cooperative(come_and_go<decltype(semaphore.ref())>, {blocks, threads}, semaphore.ref(),
                       size, words.device_data(), timeout.ref());
  } catch (const hang_error&) {
    return false;
  }
  std::uint32_t alone = 0;
  for (unsigned thread = 0; thread < blocks * threads; ++thread)
    for (unsigned i = 0; i < rounds; ++i) alone += 2 * permits_of(thread, i, size) > size;
  const auto found = words.to_host();
  return !timeout.fired() && found[finished * line] == blocks * threads &&
         found[overfull * line] == 0 && found[together * line] == alone;
}

/// Sizes 2 to 10, including powers of two.
template <class Semaphore>
unsigned failing(simt::memory_kind memory, unsigned seeds, races verdict = races::fail) {
  const auto right = [] {
    return all_come_and_go<Semaphore>(2 + static_cast<unsigned>(simt::current_settings().seed % 9));
  };
  return failing_seeds(memory, seeds, right, verdict);
}

template <class Semaphore>
class mixed_permits : public ::testing::Test {};
TYPED_TEST_SUITE(mixed_permits, test_types_semaphores, test_types_semaphores_names);

TYPED_TEST(mixed_permits, are_never_more_than_there_are_and_all_come_back) {
  EXPECT_EQ(failing<TypeParam>(simt::memory_kind::strong, seed_budget(300)), 0u);
  EXPECT_EQ(failing<TypeParam>(simt::memory_kind::weak, seed_budget(300)), 0u);
}

/// Admits a thread that asks for fewer permits than the size, whatever the others hold.
struct counts_wholes : cas_semaphore<no_backoff> {
  using right = cas_semaphore_ref<no_backoff>;
  struct ref_type : right {
    using right::right;
    unsigned size;
    ref_type(const right& other, unsigned all) : right(other), size(all) {}
    acquisition enqueue(unsigned permits) const {
      return right::enqueue(permits == size ? permits : 1);
    }
  };
  explicit counts_wholes(unsigned all) : cas_semaphore<no_backoff>(all), size(all) {}
  ref_type ref() const { return {cas_semaphore<no_backoff>::ref(), size}; }
  unsigned size;
};

TEST(broken_semaphores, one_that_takes_some_permits_for_one_is_rejected) {
  EXPECT_GT(failing<counts_wholes>(simt::memory_kind::strong, 100, races::pass), 0u);
}

}  // namespace
}  // namespace finesync::test::mixed_permits_test
