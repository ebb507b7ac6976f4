// The library's locks between GPUs: one of system scope in the memory of one GPU excludes the
// threads of all, and one of device scope does not.
#include <finesync/host/peers.cuh>
#include <finesync/locks/array_lock.cuh>
#include <finesync/locks/spin_lock.cuh>
#include <finesync/locks/tas_lock.cuh>
#include <finesync/locks/ticket_lock.cuh>
#include <finesync/locks/ttas_lock.cuh>
#include <finesync/several_gpus/gpus_lock_table.cuh>
#include <finesync/several_gpus/gpus_watchdog.cuh>

#include <gtest/gtest.h>
#include <tests/library/locks/counter_kernels.cuh>
#include <tests/library/locks/exploration.hpp>
#include <tests/seed_budget.hpp>

#include <tuple>
#include <vector>

namespace finesync::test::locks_of_gpus_test {
namespace {

/// Whether no count of the threads of all devices was lost, and every wait ended. The lock and the
/// counter are in the memory of the first.
template <class Lock>
bool counts_right_on(const std::vector<int>& devices) {
  constexpr launch_shape shape{.blocks = 2, .threads_per_block = 2};
  constexpr unsigned rounds = 3;
  const peers all{std::span<const int>(devices)};
  const stream& first = all.stream_of(0);
  const lock_table<Lock> lock(1, lock_layout::padded, first);
  const auto counter = buffer<std::uint32_t>::zeroed(1, first);
  const gpus_watchdog timeout(all);
  all.synchronize();
  launch_together(all.streams(), count_under_locks<Lock>, shape, [&](unsigned me) {
    return std::tuple(lock.ref(), counter.device_data(), 1u, rounds, false, timeout.ref(me));
  });
  return !timeout.fired() &&
         counter.to_host()[0] == devices.size() * shape.blocks * shape.threads_per_block * rounds;
}

struct spin {
  template <scope Scope>
  using lock = spin_lock<Scope>;
};
struct tas {
  template <scope Scope>
  using lock = tas_lock<Scope>;
};
struct ttas {
  template <scope Scope>
  using lock = ttas_lock<Scope, no_backoff>;
};
struct ticket {
  template <scope Scope>
  using lock = ticket_lock<Scope, no_backoff>;
};
struct array {
  template <scope Scope>
  using lock = array_lock<Scope, no_backoff, 4>;
};

template <class Form>
class lock_of_gpus : public ::testing::Test {};
using forms = ::testing::Types<spin, tas, ttas, ticket, array>;
TYPED_TEST_SUITE(lock_of_gpus, forms);

TYPED_TEST(lock_of_gpus, excludes_the_threads_of_all) {
  using lock = typename TypeParam::template lock<scope::system>;
  for (const std::vector<int>& devices :
       {std::vector<int>{0, 1}, std::vector<int>{0, 0}, std::vector<int>{0, 1, 2, 3}}) {
    expect_right_in_any_memory(seed_budget(20), [&] { return counts_right_on<lock>(devices); });
  }
}

TYPED_TEST(lock_of_gpus, of_device_scope_is_rejected) {
  using lock = typename TypeParam::template lock<scope::device>;
  const std::vector<int> two{0, 1};
  const auto count = [&] { return counts_right_on<lock>(two); };
  EXPECT_GT(failing_twin_seeds(simt::memory_kind::weak, 100, count), 0u);
  EXPECT_GT(racing_seeds(5, count), 0u);
}

TYPED_TEST(lock_of_gpus, of_device_scope_is_enough_for_two_grids_of_one) {
  using lock = typename TypeParam::template lock<scope::device>;
  const std::vector<int> one{0, 0};
  EXPECT_EQ(failing_seeds(simt::memory_kind::weak, seed_budget(20),
                          [&] { return counts_right_on<lock>(one); }),
            0u);
}

// Also where the last GPU has fewer than the others.
TEST(gpus_lock_table, has_room_for_each_lock_on_its_gpu) {
  using lock = tas_lock<scope::system>;
  for (const unsigned gpus : {1u, 2u, 3u})
    for (const unsigned count : {1u, 5u, 6u, 64u}) {
      const peers all(gpus);
      const gpus_lock_table<lock> table(all, count, lock_layout::padded);
      for (unsigned i = 0; i < count; ++i) {
        lock::state& state = table.ref(0).state(i);
        EXPECT_TRUE(simt::global_memory().holds(&state, sizeof state)) << i << " of " << count;
        EXPECT_EQ(&state, &table.of_gpu(i % gpus).state(i / gpus));
      }
    }
}

}  // namespace
}  // namespace finesync::test::locks_of_gpus_test
