// Broken locks. The check of the correct ones must reject each of them.
#include "counter_kernels.cuh"
#include "no_lock.hpp"

#include <tests/catalogue/locks.hpp>
#include <tests/library/harness/harness.hpp>

namespace finesync::test::broken_test {
namespace {

/// Tests, then sets: two steps instead of one.
class two_step_lock : public no_lock {
 public:
  explicit two_step_lock(state& s) : no_lock(s), held_(s.held) {}
  bool try_enter(acquisition&) {
    if (held_.load(memory_order::acquire) != 0) return false;
    held_.store(1, memory_order::release);
    return true;
  }
  void leave(acquisition&) { held_.store(0, memory_order::release); }

 private:
  atomic_ref<std::uint32_t, scope::device> held_;
};

/// A try-lock with the given orders and scope.
template <memory_order Acquire, memory_order Release, scope Scope>
class weakened : public no_lock {
 public:
  explicit weakened(state& s) : no_lock(s), held_(s.held) {}
  bool try_enter(acquisition&) {
    std::uint32_t expected = 0;
    return held_.compare_exchange(expected, 1, Acquire);
  }
  void leave(acquisition&) { held_.store(0, Release); }

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

/// A ticket lock that serves the next thread before the section's stores are visible.
class broken_ticket {
 public:
  using right = ticket_lock<scope::device, no_backoff>;
  using state = right::state;
  using acquisition = right::acquisition;
  explicit broken_ticket(state& s) : lock_(s), serving_(s.serving) {}
  acquisition enqueue() { return lock_.enqueue(); }
  bool try_enter(acquisition& r) { return lock_.try_enter(r); }
  void wait(acquisition& r) { lock_.wait(r); }
  void leave(acquisition& r) { serving_.store(r.ticket + 1, memory_order::relaxed); }

 private:
  right lock_;
  atomic_ref<std::uint32_t, scope::device> serving_;
};

/// An array lock that hands off before its fence.
class broken_array : public array_lock<scope::device, no_backoff, 4> {
 public:
  explicit broken_array(state& s) : array_lock(s), state_(s) {}
  void leave(acquisition& r) {
    const std::uint32_t next = r.ticket + 1;
    atomic_ref<std::uint32_t, scope::device>(state_.slots[next % 4].granted)
        .store(next, memory_order::relaxed);
    fence<memory_order::release, scope::device>();
  }

 private:
  state& state_;
};

/// An MCS lock that takes a link not yet made for an empty queue.
class linkless_mcs : public mcs_lock<scope::device> {
 public:
  using mcs_lock::mcs_lock;
  bool leave(acquisition& r) {
    mcs_lock::leave(r);
    return true;
  }
};

/// An MCS lock that wakes the next thread without a fence.
class broken_mcs : public mcs_lock<scope::device> {
 public:
  using mcs_lock::mcs_lock;
  bool leave(acquisition& r) {
    if (!r.knows_next() && !queue_.find_next(r)) return mcs_lock::leave(r);
    queue_.successor(r).store(1, memory_order::relaxed);
    return true;
  }
};

/// A cohort lock that passes the lock within the cluster without a fence.
class broken_cohort : public small_cohort {
 public:
  using small_cohort::small_cohort;
  bool leave(acquisition& r) {
    if (r.section >= small_batch || !r.local.knows_next()) return small_cohort::leave(r);
    local_.successor(r.local).store(passing(r), memory_order::relaxed);
    return true;
  }
};

/// A value-passing lock whose sections use the value from the time of their enqueue.
class stale_value_passing : public value_passing_lock<scope::device, std::uint32_t, no_backoff, 4> {
 public:
  using value_passing_lock::value_passing_lock;
  acquisition enqueue() {
    acquisition r = value_passing_lock::enqueue();
    r.value = get();
    return r;
  }
  bool try_enter(acquisition& r) {
    const std::uint32_t stale = r.value;
    if (!value_passing_lock::try_enter(r)) {
      r.value = stale;
      return false;
    }
    r.value = stale;
    return true;
  }
};

/// A value-passing lock that reads and writes ticket and value in two accesses.
class torn_value_passing {
  using tickets = ticket_queue<scope::device, no_backoff>;
  using half = atomic_ref<std::uint64_t, scope::device>;
  struct slot {
    cell<std::uint64_t> low, high;
  };

 public:
  struct state {
    tickets::state queue;
    slot slots[4];
  };
  struct acquisition : tickets::acquisition {
    wide_word value = {};
  };
  explicit torn_value_passing(state& s) : queue_(s.queue), slots_(s.slots) {}
  acquisition enqueue() { return {queue_.enqueue()}; }
  bool try_enter(acquisition& r) {
    const std::uint32_t ticket = load(r.ticket, r.value);
    return ticket == r.ticket;
  }
  void wait(acquisition&) {}
  void leave(acquisition& r) {
    slot& next = slots_[(r.ticket + 1) % 4];
    half(next.low).store(std::uint64_t{r.ticket + 1} << 32 | r.value.count, memory_order::relaxed);
    half(next.high).store(std::uint64_t{r.value.parts[1]} << 32 | r.value.parts[0],
                          memory_order::relaxed);
  }
  wide_word get() const {
    wide_word word;
    load(queue_.tickets_drawn(), word);
    return word;
  }

 private:
  std::uint32_t load(std::uint32_t ticket, wide_word& word) const {
    slot& from = slots_[ticket % 4];
    const std::uint64_t low = half(from.low).load(memory_order::relaxed);
    const std::uint64_t high = half(from.high).load(memory_order::relaxed);
    word = {static_cast<std::uint32_t>(low),
            {static_cast<std::uint32_t>(high), static_cast<std::uint32_t>(high >> 32)}};
    return static_cast<std::uint32_t>(low >> 32);
  }

  tickets queue_;
  slot* slots_;
};

/// Number of the seeds that lose an update or hang.
template <class Lock>
unsigned failing(simt::memory_kind memory, unsigned seeds = 200, const lock_load& load = {}) {
  return failing_twin_seeds(memory, seeds, [&] { return counts_right<Lock>(load); });
}

/// Of a few seeds in strong memory, the number with a race, whatever their result.
template <class Lock>
unsigned racing() {
  return racing_seeds(5, [] { return counts_right<Lock>({}); });
}

TEST(broken, no_lock_is_rejected) {
  EXPECT_GT(failing<no_lock>(strong), 0u);
}

TEST(broken, a_two_step_lock_is_rejected) {
  EXPECT_GT(failing<two_step_lock>(strong), 0u);
}

TEST(broken, unlock_without_release_is_rejected_in_weak_memory) {
  EXPECT_GT(failing<unlocks_without_release>(weak), 0u);
}

TEST(broken, lock_without_acquire_is_rejected_in_weak_memory) {
  EXPECT_GT(failing<locks_without_acquire>(weak), 0u);
}

TEST(broken, block_scope_between_blocks_is_rejected_in_weak_memory) {
  EXPECT_GT(failing<synchronizes_with_its_block_only>(weak), 0u);
}

TEST(broken, a_spin_lock_without_fences_is_rejected_in_weak_memory) {
  EXPECT_GT(failing<without_any_order>(weak), 0u);
}

TEST(broken, a_ticket_served_too_early_is_rejected_in_weak_memory) {
  EXPECT_GT(failing<broken_ticket>(weak), 0u);
}

TEST(broken, an_array_slot_granted_before_the_fence_is_rejected_in_weak_memory) {
  EXPECT_GT(failing<broken_array>(weak), 0u);
}

TEST(broken, an_mcs_lock_without_release_is_rejected_in_weak_memory) {
  EXPECT_GT(failing<broken_mcs>(weak), 0u);
}

TEST(broken, an_mcs_lock_that_does_not_wait_for_the_link_is_rejected) {
  EXPECT_GT(failing<linkless_mcs>(strong, 10), 0u);
}

TEST(broken, a_cohort_that_passes_without_a_fence_is_rejected_in_weak_memory) {
  EXPECT_GT(failing<broken_cohort>(weak), 0u);
}

TEST(broken, twins_are_rejected_among_threads_that_are_alone_in_their_warps) {
  const lock_load single_lane{
      .blocks = 3, .threads_per_block = 64, .locks = 1, .single_lane = true};
  EXPECT_GT(failing<no_lock>(strong, 200, single_lane), 0u);
  EXPECT_GT(failing<broken_array>(weak, 200, single_lane), 0u);
  EXPECT_GT(failing<broken_mcs>(weak, 200, single_lane), 0u);
  EXPECT_GT(failing<broken_cohort>(weak, 200, single_lane), 0u);
  const lock_load in_clusters{.blocks = 4, .threads_per_block = 5, .locks = 1, .cluster_blocks = 4};
  EXPECT_GT(failing<broken_cohort>(weak, 200, in_clusters), 0u);
}

TEST(broken, a_passed_value_that_is_stale_is_rejected) {
  EXPECT_GT(failing<stale_value_passing>(strong), 0u);
}

TEST(broken, a_passed_value_that_is_torn_is_rejected) {
  EXPECT_GT(failing<torn_value_passing>(strong), 0u);
}

TEST(broken, strong_memory_hides_what_only_weak_memory_shows) {
  EXPECT_EQ(failing<unlocks_without_release>(strong), 0u);
}

TEST(broken, what_strong_memory_hides_is_a_race) {
  EXPECT_GT(racing<unlocks_without_release>(), 0u);
  EXPECT_GT(racing<locks_without_acquire>(), 0u);
  EXPECT_GT(racing<synchronizes_with_its_block_only>(), 0u);
  EXPECT_GT(racing<without_any_order>(), 0u);
  EXPECT_GT(racing<broken_ticket>(), 0u);
  EXPECT_GT(racing<broken_array>(), 0u);
  EXPECT_GT(racing<broken_mcs>(), 0u);
  EXPECT_GT(racing<broken_cohort>(), 0u);
  EXPECT_EQ(racing<as_it_should_be>(), 0u);
}

TEST(broken, the_same_lock_unbroken_passes) {
  EXPECT_EQ(failing<as_it_should_be>(weak), 0u);
}

}  // namespace
}  // namespace finesync::test::broken_test
