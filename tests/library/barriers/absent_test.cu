// A block that never arrives: the watchdog ends the others' waits; a reset restores the barrier.
#include "exchange.hpp"

#include <finesync/barriers/reduction.cuh>
#include <finesync/host/watchdog.cuh>

namespace finesync::test::absent_test {
namespace {

/// Point at which a block stays away.
enum class absence { before_join, before_wait };

/// Lasts until a thread's bounded_wait has ended and all others have had time to notice. It changes
/// memory constantly; otherwise the executor would end the launch as a livelock.
__device__ void outstay(const watchdog_ref& watchdog, cell<std::uint32_t>& beats) {
  for (unsigned left = 1 << 14; left > 0; left -= watchdog.has_fired()) {
    atomic_ref<std::uint32_t, scope::device>(beats).fetch_add(1, memory_order::relaxed);
  }
}

template <class BarrierRef>
__global__ void wait_for(unsigned who, BarrierRef barrier, absence when,
                         cell<std::uint32_t>* gave_up, cell<std::uint32_t>* beats,
                         watchdog_ref watchdog) {
  const bool absent = blockIdx.x == who;
  if (absent && when == absence::before_join) {
    if (threadIdx.x == 0) outstay(watchdog, *beats);
    return;
  }
  auto participant = barrier.join(watchdog);
  if (absent) {
    if (threadIdx.x == 0) outstay(watchdog, *beats);
    return;
  }
  if (!participant.wait()) gave_up[blockIdx.x * blockDim.x + threadIdx.x] = 1u;
}

template <class Barrier>
class absent_block : public ::testing::Test {
 protected:
  void expect_given_up(absence when, unsigned who = 0) {
    const exchange_plan plan{.blocks = 6, .threads_per_block = 40};
    const launch_shape shape{plan.blocks, plan.threads_per_block};
    Barrier barrier(shape);
    auto gave_up = buffer<std::uint32_t>::zeroed(shape.blocks * shape.threads_per_block);
    auto beats = buffer<std::uint32_t>::zeroed(1);
    watchdog timeout(1'000'000);  // nominal ns
    launch_cooperative(wait_for<ref_of<Barrier>>, shape, who, barrier.ref(), when,
                       gave_up.device_data(), beats.device_data(), timeout.ref());
    stream().synchronize();
    EXPECT_TRUE(timeout.fired());
    const auto threads = gave_up.to_host();
    EXPECT_EQ(std::count(threads.begin(), threads.end(), 1u),
              (shape.blocks - 1) * shape.threads_per_block);

    barrier.reset();
    EXPECT_TRUE(judge(plan, barrier).right());
  }
};
TYPED_TEST_SUITE(absent_block, test_types_barriers, test_types_barriers_names);

TYPED_TEST(absent_block, ends_the_wait_of_the_others) {
  for (const unsigned who : {0u, 5u}) this->expect_given_up(absence::before_wait, who);
}

TYPED_TEST(absent_block, ends_the_wait_of_the_others_also_when_it_never_joined) {
  this->expect_given_up(absence::before_join);
}

/// Block 0 joins when the watchdog has ended the join of the others, and arrives.
template <class BarrierRef>
__global__ void wait_for_late_block_0(BarrierRef barrier, cell<std::uint32_t>* gave_up,
                                      cell<std::uint32_t>* beats, watchdog_ref watchdog) {
  if (blockIdx.x == 0) {
    if (threadIdx.x == 0)
      while (!watchdog.has_fired())
        atomic_ref<std::uint32_t, scope::device>(*beats).fetch_add(1, memory_order::relaxed);
    __syncthreads();
  }
  auto participant = join_alone(barrier, watchdog);
  if (!participant.wait()) gave_up[blockIdx.x * blockDim.x + threadIdx.x] = 1u;
}

/// Who has not seen all others join does not know what to wait for.
template <class Barrier>
void expect_given_up_for_late_block() {
  launch_shape shape{.blocks = 6, .threads_per_block = 40};
  const Barrier barrier(shape);
  shape.shared_bytes = reduction_bytes<ref_of<Barrier>>;
  auto gave_up = buffer<std::uint32_t>::zeroed(shape.blocks * shape.threads_per_block);
  auto beats = buffer<std::uint32_t>::zeroed(1);
  const watchdog timeout(1'000'000);  // nominal ns
  launch_cooperative(wait_for_late_block_0<ref_of<Barrier>>, shape, barrier.ref(),
                     gave_up.device_data(), beats.device_data(), timeout.ref());
  stream().synchronize();
  EXPECT_TRUE(timeout.fired());
  const auto threads = gave_up.to_host();
  EXPECT_EQ(std::count(threads.begin() + shape.threads_per_block, threads.end(), 1u),
            (shape.blocks - 1) * shape.threads_per_block);
}

TEST(late_block, does_not_let_those_pass_who_joined_without_it) {
  expect_given_up_for_late_block<sm_counters>();
  expect_given_up_for_late_block<flat_counters_with<sum_reduction>>();
  expect_given_up_for_late_block<flat_counters_with<min_reduction>>();
}

}  // namespace
}  // namespace finesync::test::absent_test
