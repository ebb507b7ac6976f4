#include "schedules.hpp"

#include <tests/catalogue/locks.hpp>
#include <tests/library/locks/counter_kernels.cuh>
#include <tests/library/locks/no_lock.hpp>

namespace finesync::test {
namespace {

template <class Lock>
class locks_on_many_schedules : public ::testing::Test {};
TYPED_TEST_SUITE(locks_on_many_schedules, test_types_locks, test_types_locks_names);

/// One lock, and four threads of two blocks.
template <class Lock>
unsigned failing() {
  return failing_of_many(
      [] { return counts_right<Lock>({.blocks = 2, .threads_per_block = 2, .locks = 1}); });
}

TYPED_TEST(locks_on_many_schedules, have_no_race) {
  EXPECT_EQ(failing<TypeParam>(), 0u);
}

/// Excludes, but orders no memory accesses.
class without_release : public no_lock {
 public:
  explicit without_release(state& s) : no_lock(s), held_(s.held) {}
  bool try_enter(acquisition&) {
    std::uint32_t expected = 0;
    return held_.compare_exchange(expected, 1, memory_order::acquire);
  }
  void leave(acquisition&) { held_.store(0, memory_order::relaxed); }

 private:
  atomic_ref<std::uint32_t, scope::device> held_;
};

TEST(many_schedules, reject_a_lock_without_release) {
  EXPECT_GT(failing<without_release>(), 0u);
}

}  // namespace
}  // namespace finesync::test
