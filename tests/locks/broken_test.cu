// Locks that are wrong on purpose. The check that the right ones pass must reject each of them.
#include "all_locks.hpp"
#include "exploration.hpp"
#include "no_lock.hpp"

namespace finesync::test {
namespace {

/// Looks, then takes: two steps where one is needed.
class looks_then_takes : public no_lock {
 public:
  explicit looks_then_takes(state& s) : no_lock(s), held_(s.held) {}
  bool enter(request&) {
    if (held_.load(memory_order::acquire) != 0) return false;
    held_.store(1, memory_order::release);
    return true;
  }
  void leave(request&) { held_.store(0, memory_order::release); }

 private:
  atomic_ref<std::uint32_t, scope::device> held_;
};

/// A try-lock with the given orders and scope.
template <memory_order Acquire, memory_order Release, scope Scope>
class weakened : public no_lock {
 public:
  explicit weakened(state& s) : no_lock(s), held_(s.held) {}
  bool enter(request&) {
    std::uint32_t expected = 0;
    return held_.compare_exchange(expected, 1, Acquire);
  }
  void leave(request&) { held_.store(0, Release); }

 private:
  atomic_ref<std::uint32_t, Scope> held_;
};

using unlocks_without_release =
    weakened<memory_order::acquire, memory_order::relaxed, scope::device>;
using locks_without_acquire = weakened<memory_order::relaxed, memory_order::release, scope::device>;
using synchronizes_with_its_block_only =
    weakened<memory_order::acquire, memory_order::release, scope::block>;
using without_any_order = weakened<memory_order::relaxed, memory_order::relaxed, scope::device>;
using as_it_should_be = weakened<memory_order::acquire, memory_order::release, scope::device>;

/// A ticket lock that serves the next before the section's stores are out.
class hasty_ticket {
 public:
  using right = ticket_lock<scope::device, no_backoff>;
  using state = right::state;
  using request = right::request;
  explicit hasty_ticket(state& s) : lock_(s), serving_(s.serving) {}
  request arrive() { return lock_.arrive(); }
  bool enter(request& r) { return lock_.enter(r); }
  void wait(request& r) { lock_.wait(r); }
  void leave(request& r) { serving_.store(r.ticket + 1, memory_order::relaxed); }

 private:
  right lock_;
  atomic_ref<std::uint32_t, scope::device> serving_;
};

constexpr unsigned seeds = 200;

template <class Lock>
unsigned failing(simt::memory_kind memory) {
  return failing_seeds<Lock>({}, memory, seeds);
}

TEST(broken, no_lock_is_rejected) {
  EXPECT_GT(failing<no_lock>(simt::memory_kind::strong), 0u);
}

TEST(broken, a_two_step_lock_is_rejected) {
  EXPECT_GT(failing<looks_then_takes>(simt::memory_kind::strong), 0u);
}

TEST(broken, unlock_without_release_is_rejected_in_weak_memory) {
  EXPECT_GT(failing<unlocks_without_release>(simt::memory_kind::weak), 0u);
}

TEST(broken, lock_without_acquire_is_rejected_in_weak_memory) {
  EXPECT_GT(failing<locks_without_acquire>(simt::memory_kind::weak), 0u);
}

TEST(broken, block_scope_between_blocks_is_rejected_in_weak_memory) {
  EXPECT_GT(failing<synchronizes_with_its_block_only>(simt::memory_kind::weak), 0u);
}

TEST(broken, a_spin_lock_without_fences_is_rejected_in_weak_memory) {
  EXPECT_GT(failing<without_any_order>(simt::memory_kind::weak), 0u);
}

TEST(broken, a_ticket_served_too_early_is_rejected_in_weak_memory) {
  EXPECT_GT(failing<hasty_ticket>(simt::memory_kind::weak), 0u);
}

TEST(broken, strong_memory_hides_what_only_weak_memory_shows) {
  EXPECT_EQ(failing<unlocks_without_release>(simt::memory_kind::strong), 0u);
}

TEST(broken, the_same_lock_unbroken_passes) {
  EXPECT_EQ(failing<as_it_should_be>(simt::memory_kind::weak), 0u);
}

}  // namespace
}  // namespace finesync::test
