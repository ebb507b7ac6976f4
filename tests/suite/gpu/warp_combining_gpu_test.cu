// Warp combining with lanes that acquire at different places of the program, with different masks:
// no section is lost, merged or not.
#include "cluster_fixture.cuh"

#include <finesync/device/watchdog.cuh>
#include <finesync/host/gpu.cuh>
#include <finesync/host/watchdog.cuh>
#include <finesync/locks/lock_table.cuh>
#include <finesync/locks/ttas_lock.cuh>
#include <finesync/locks/warp_combining_lock.cuh>

#include <tests/library/locks/counter_kernels.cuh>
#include <tests/library/locks/no_lock.hpp>

namespace finesync::test::combining_gpu_test {
namespace {

/// Adds 1; a group adds its size, which its lanes have counted by folding.
struct count_together {
  cell32& counter;
  std::uint32_t amount = 1;
  __device__ void operator()() const { counter = counter + amount; }
  __device__ count_together merge(const lane_group& group) const {
    return {counter, group.fold(amount, [](std::uint32_t a, std::uint32_t b) { return a + b; })};
  }
};

/// Lanes in four parts, each with its own order of locks.
template <class Section, class Lock>
__global__ void count_apart(lock_table_ref<Lock> locks, cell32* counters, unsigned number_of_locks,
                            unsigned rounds, watchdog_ref watchdog) {
  const unsigned warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
  const auto count = [&](unsigned which) {
    return run_exclusive(locks[which], Section{counters[which]}, watchdog);
  };
  switch (threadIdx.x % 4) {
    case 0:
      for (unsigned i = 0; i < rounds; ++i)
        if (!count((warp + i) % number_of_locks)) return;
      break;
    case 1:
      for (unsigned i = rounds; i > 0; --i)
        if (!count((warp + 3 * i) % number_of_locks)) return;
      break;
    case 2:
      for (unsigned i = 0; i < rounds; ++i)
        if (!count((threadIdx.x / 8 + i) % number_of_locks)) return;
      break;
    default:
      for (unsigned i = 2 * rounds; i > 0; i -= 2)
        if (!count((threadIdx.x / 16 + i / 4) % number_of_locks)) return;
  }
}

template <class Section, class Lock>
bool counts_right_apart(unsigned number_of_locks) {
  constexpr unsigned threads = 256;
  constexpr unsigned rounds = 16;
  const lock_table<Lock> locks(number_of_locks, lock_layout::packed);
  const buffer<std::uint32_t> counters = zeroed_words(number_of_locks);
  const watchdog timeout;
  const unsigned blocks = 2 * static_cast<unsigned>(current_gpu().sms);
  launch_cooperative(count_apart<Section, Lock>, {.blocks = blocks, .threads_per_block = threads},
                     locks.ref(), counters.device_data(), number_of_locks, rounds, timeout.ref());
  std::uint32_t sum = 0;
  for (const std::uint32_t count : counters.to_host()) sum += count;
  return !timeout.fired() && sum == blocks * threads * rounds;
}

class combining_on_gpu : public on_gpu {};

TEST_F(combining_on_gpu, loses_no_section_of_lanes_that_ask_apart) {
  using lock = warp_combined<ttas_lock<scope::device, exponential_backoff<64, 4096>>>;
  for (const unsigned locks : {1u, 7u, 256u, 32768u}) {
    EXPECT_TRUE((counts_right_apart<count_up, lock>(locks))) << locks;
    EXPECT_TRUE((counts_right_apart<count_together, lock>(locks))) << locks;
  }
}

TEST_F(combining_on_gpu, is_rejected_without_a_lock) {
  EXPECT_FALSE((counts_right_apart<count_together, warp_combined<no_lock>>(7)));
}

}  // namespace
}  // namespace finesync::test::combining_gpu_test
