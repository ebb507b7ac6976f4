// Locks that have been in use for long: their tickets wrap around at 2^32 in the middle of a run.
#include "exploration.hpp"

#include <tests/catalogue/locks.hpp>

#include <cstdint>

namespace finesync::test::old_locks_test {
namespace {

/// The slots of a ring, as the last tickets before the next have left them.
template <class State>
__device__ void age_slots(State& s, unsigned slots, std::uint32_t next, unsigned shift) {
  for (std::uint32_t i = 0; i < slots; ++i) {
    const std::uint32_t ticket = next - i;
    auto& granted = s.slots[ticket % slots].granted;
    granted = static_cast<std::remove_cvref_t<decltype(+granted)>>(std::uint64_t{ticket} << shift);
  }
}

template <class Lock>
__global__ void age(lock_table_ref<Lock> locks, std::uint32_t next) {
  typename Lock::state& s = locks.state(0);
  if constexpr (requires { s.serving; }) {
    s.next = next;
    s.serving = next;
  } else if constexpr (requires { s.queue; }) {
    s.queue.next = next;
    s.queue.served_hint = next;
    age_slots(s, Lock::slots, next, passes_value<Lock> ? 32 : 0);
  } else {
    s.next = next;
    age_slots(s, Lock::slots, next, 0);
  }
}

template <class Lock>
class old_locks : public ::testing::Test {};
struct old_lock_names : names_of_tested<old_lock_names> {
  static constexpr const char* all[] = {"ticket", "anderson", "array", "value_passing"};
};
using by_distance = proportional_backoff<500, 65536>;
using old_lock_types =
    tested_types<old_lock_names, ticket_lock<scope::device, by_distance>,
                 anderson_lock<scope::device, by_distance, 4>,
                 array_lock<scope::device, by_distance, 4>,
                 value_passing_lock<scope::device, std::uint32_t, by_distance, 4>>;
TYPED_TEST_SUITE(old_locks, old_lock_types, old_lock_names);

TYPED_TEST(old_locks, go_on_after_2_32_tickets) {
  constexpr workshop shop{.blocks = 2, .threads_per_block = 12, .locks = 1, .rounds = 3};
  for (const std::uint32_t before : {0u, 1u, 9u, 30u}) {
    const auto right = [&] {
      const auto locks = locks_for<TypeParam>(shop);
      launch_independent(age<TypeParam>, {1, 1}, locks.ref(), 0 - before);
      return counts_right(locks, shop);
    };
    EXPECT_EQ(failing_seeds(simt::memory_kind::strong, 25, right), 0u) << before;
  }
}

}  // namespace
}  // namespace finesync::test::old_locks_test
