// The purpose of the priority semaphore: while a failed exit is pending, no thread tries to enter.
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

/// One thread plays three roles: it holds a permit, tries to enter, and holds the mutex.
/// `entered` records for each of its tries whether it entered.
template <class EntryPolicy>
__global__ void leave_in_vain(typename mutex_semaphore_ref<EntryPolicy, no_backoff>::state* s,
                              cell<std::uint32_t>* entered) {
  const mutex_semaphore_ref<EntryPolicy, no_backoff> semaphore(s, 2);
  auto holder = semaphore.enqueue(1);
  auto other = semaphore.enqueue(1);
  entered[0] = semaphore.try_enter(holder);
  s->lock = 1;  // another thread holds the mutex
  entered[1] = semaphore.leave(holder);
  s->lock = 0;
  entered[2] = semaphore.try_enter(other);  // although there is room
  entered[3] = semaphore.leave(holder);
  entered[4] = semaphore.try_enter(other);
}

template <class EntryPolicy>
std::vector<std::uint32_t> tries() {
  using state = typename mutex_semaphore_ref<EntryPolicy, no_backoff>::state;
  auto memory = buffer<unsigned char>::zeroed(sizeof(state));
  const buffer<std::uint32_t> entered(5);
  launch_cooperative(leave_in_vain<EntryPolicy>, {1, 1},
                     reinterpret_cast<state*>(memory.raw_pointer()), entered.device_data());
  return entered.to_host();
}

TEST(priority_semaphores, let_nobody_try_while_an_exit_is_pending) {
  EXPECT_EQ(tries<exits_first>(), (std::vector<std::uint32_t>{1, 0, 0, 1, 1}));
}

TEST(spin_semaphores, let_everybody_try_at_any_time) {
  EXPECT_EQ(tries<no_priority>(), (std::vector<std::uint32_t>{1, 0, 1, 1, 1}));
}

}  // namespace
}  // namespace finesync::test::priority_test
