// What the priority semaphore is for: while somebody has tried to leave in vain, nobody tries to
// enter.
#include <finesync/device/backoff.cuh>
#include <finesync/host/buffer.cuh>
#include <finesync/host/launch.cuh>
#include <finesync/semaphores/priority_semaphore.cuh>
#include <finesync/semaphores/spin_semaphore.cuh>

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

namespace finesync::test::priority_test {
namespace {

/// One thread plays three: a holder of the one permit, one who enters, and whoever has the mutex.
/// `entered` has, for each of its tries, whether it got in.
template <class Rank>
__global__ void leave_in_vain(typename guarded_semaphore_ref<Rank, no_backoff>::state* s,
                              cell<std::uint32_t>* entered) {
  const guarded_semaphore_ref<Rank, no_backoff> semaphore(s, 2);
  auto holder = semaphore.arrive(1);
  auto other = semaphore.arrive(1);
  entered[0] = semaphore.enter(holder);
  s->lock = 1;  // somebody has the mutex
  entered[1] = semaphore.leave(holder);
  s->lock = 0;
  entered[2] = semaphore.enter(other);  // though there is room
  entered[3] = semaphore.leave(holder);
  entered[4] = semaphore.enter(other);
}

template <class Rank>
std::vector<std::uint32_t> tries() {
  using state = typename guarded_semaphore_ref<Rank, no_backoff>::state;
  auto memory = buffer<unsigned char>::zeroed(sizeof(state));
  const buffer<std::uint32_t> entered(5);
  launch_cooperative(leave_in_vain<Rank>, {1, 1}, reinterpret_cast<state*>(memory.data()),
                     entered.cells());
  return entered.to_host();
}

TEST(priority_semaphores, let_nobody_try_while_an_exit_is_pending) {
  EXPECT_EQ(tries<exits_first>(), (std::vector<std::uint32_t>{1, 0, 0, 1, 1}));
}

TEST(spin_semaphores, let_everybody_try_at_any_time) {
  EXPECT_EQ(tries<no_rank>(), (std::vector<std::uint32_t>{1, 0, 1, 1, 1}));
}

}  // namespace
}  // namespace finesync::test::priority_test
