// Several locks at once: exclusion, freedom from deadlock, and broken variants without one of them.
#include "set_kernels.cuh"

#include <finesync/device/require.cuh>
#include <finesync/locks/anderson_lock.cuh>
#include <finesync/locks/array_lock.cuh>
#include <finesync/locks/spin_lock.cuh>
#include <finesync/locks/tas_lock.cuh>
#include <finesync/locks/ticket_lock.cuh>
#include <finesync/locks/ttas_lock.cuh>

#include <tests/library/harness/harness.hpp>

namespace finesync::test::lock_set_test {
namespace {

/// Counts the uses of each lock. A lock is entered once before it is left, or given back.
struct counting_observer {
  cell<std::uint32_t>* uses;
  unsigned lock = 0;
  bool inside = false;

  void begin(unsigned which) { lock = which; }
  void retry() { inside = false; }
  void entered() {
    require(!inside, "entered twice");
    inside = true;
  }
  void leaving() {
    require(inside, "left before it was entered");
    inside = false;
    atomic_ref<std::uint32_t, scope::device>(uses[lock]).fetch_add(1, memory_order::relaxed);
  }
  void finish() {}
};

/// Sets of one kind of lock, acquired in one way.
template <class Lock, class Way>
struct scheme {
  using lock = Lock;
  using observed = multi_lock<lock_table_ref<Lock>, 2, Way, counting_observer>;
  template <unsigned Size>
  using set = device_set<Lock, Way, Size>;
};
using tas = tas_lock<scope::device>;
using together = all_or_nothing<random_backoff<32, 256>>;
using schemes = ::testing::Types<scheme<spin_lock<scope::device>, in_order>, scheme<tas, in_order>,
                                 scheme<ttas_lock<scope::device, no_backoff>, in_order>,
                                 scheme<ticket_lock<scope::device, no_backoff>, in_order>,
                                 scheme<anderson_lock<scope::device, no_backoff, 4>, in_order>,
                                 scheme<array_lock<scope::device, no_backoff, 128>, in_order>,
                                 scheme<spin_lock<scope::device>, together>, scheme<tas, together>,
                                 scheme<ttas_lock<scope::device, no_backoff>, together>>;

template <class Set>
unsigned failing(const bank& of, simt::memory_kind memory, unsigned seeds,
                 races verdict = races::fail) {
  return failing_seeds(
      memory, seeds, [&] { return moves_right<Set>(of); }, verdict);
}

template <class Scheme>
class lock_sets : public ::testing::Test {};
TYPED_TEST_SUITE(lock_sets, schemes);

const unsigned seeds = seed_budget(50);  // of each memory mode

TYPED_TEST(lock_sets, exclude_and_never_deadlock) {
  using set = typename TypeParam::template set<2>;
  EXPECT_EQ(failing<set>({}, strong, seeds), 0u);
  EXPECT_EQ(failing<set>({}, weak, seeds), 0u);
}

TYPED_TEST(lock_sets, of_three_and_four) {
  using three = typename TypeParam::template set<3>;
  using four = typename TypeParam::template set<4>;
  EXPECT_EQ(failing<three>({.accounts = 5}, weak, seeds / 4), 0u);
  EXPECT_EQ(failing<four>({.accounts = 6}, weak, seeds / 4), 0u);
}

template <class Set, class Locks>
__global__ void use_observed(Locks locks, cell<std::uint32_t>* uses, bank of,
                             watchdog_ref watchdog) {
  counting_observer observers[] = {{uses}, {uses}};
  const unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
  for (unsigned i = 0; i < of.rounds; ++i) {
    const Set both(locks, picks<2>::of(thread, i, of.accounts).each, observers);
    both.begin();
    if (!run_exclusive(
            both, [] {}, watchdog))
      return;
  }
}

TYPED_TEST(lock_sets, tell_an_observer_of_each_lock) {
  const bank of;
  const lock_table<typename TypeParam::lock> locks(of.accounts, lock_layout::packed);
  for (unsigned seed = 0; seed < seeds / 4; ++seed) {
    const simt::scoped_settings scoped(simt::random_schedule(seed, strong));
    const auto uses = zeroed(of.accounts);
    const watchdog timeout;
    launch_cooperative(
        use_observed<typename TypeParam::observed, lock_table_ref<typename TypeParam::lock>>,
        {of.blocks, of.threads_per_block}, locks.ref(), uses.device_data(), of, timeout.ref());
    EXPECT_EQ(uses.to_host(), visits_of<2>(of));
  }
}

template <class Way>
bool moves_right_in_block() {
  using set = multi_lock<lock_array<tas_lock<scope::block>>, 2, Way>;
  const bank of{.blocks = 1, .accounts = shared_accounts};
  buffer<std::uint32_t> words(2 * shared_accounts);
  const bool ended = ends(move_in_block<set>,
                          {.blocks = of.blocks,
                           .threads_per_block = of.threads_per_block,
                           .shared_bytes = sizeof(shared_bank<typename set::lock>)},
                          words, of.rounds);
  std::vector<std::uint32_t> expected(words.size());
  const auto visits = visits_of<set::size>(of);
  for (unsigned a = 0; a < shared_accounts; ++a) expected[2 * a + 1] = visits[a];
  return ended && words.to_host() == expected;
}

TEST(lock_sets_of_a_block, exclude_in_shared_memory) {
  EXPECT_EQ(failing_seeds(weak, seeds, moves_right_in_block<in_order>), 0u);
  EXPECT_EQ(failing_seeds(weak, seeds, moves_right_in_block<together>), 0u);
}

/// Acquires two locks in the order of the call.
class in_order_of_the_call {
 public:
  using lock = tas;
  static constexpr unsigned size = 2;
  struct acquisition {
    unsigned held = 0;
  };
  in_order_of_the_call(const lock_table_ref<lock>& locks, const std::uint32_t (&indices)[2])
      : first_(locks[indices[0]]), second_(locks[indices[1]]), same_(indices[0] == indices[1]) {}
  acquisition enqueue() { return {}; }
  bool try_enter(acquisition& r) {
    lock::acquisition none;
    if (r.held == 0 && first_.try_enter(none)) r.held = same_ ? 2 : 1;
    if (r.held == 1 && second_.try_enter(none)) r.held = 2;
    return r.held == 2;
  }
  void wait(acquisition&) {}
  void leave(acquisition&) {
    lock::acquisition none;
    first_.leave(none);
    if (!same_) second_.leave(none);
  }

 private:
  lock first_;
  lock second_;
  bool same_;
};

/// Locks one of the two.
struct half_a_set : device_set<tas, in_order> {
  half_a_set(const lock_table_ref<tas>& locks, const std::uint32_t (&indices)[2])
      : multi_lock(locks, {indices[0], indices[0]}) {}
};

/// Releases one lock before the section.
struct lets_go_early : device_set<tas, in_order> {
  lets_go_early(const lock_table_ref<tas>& locks, const std::uint32_t (&indices)[2])
      : multi_lock(locks, indices), first_(locks[indices[0]]) {}
  bool try_enter(acquisition& r) {
    if (!multi_lock::try_enter(r)) return false;
    first_.cancel(r.each[0]);
    return true;
  }

 private:
  tas first_;
};

/// Cancels by a store: the next holder does not synchronize with the previous one.
struct withdraws_by_a_store : tas {
  using tas::tas;
  void cancel(acquisition& r) { release_relaxed(r); }
};

/// Without the fence after its acquires, or the one before its releases.
template <memory_order Acquire, memory_order Release>
struct half_fenced : tas {
  using tas::tas;
  static constexpr memory_order acquire_order = Acquire;
  static constexpr memory_order release_order = Release;
};
using without_acquire = half_fenced<memory_order::release, memory_order::release>;
using without_release = half_fenced<memory_order::acquire, memory_order::acquire>;

TEST(broken_lock_sets, are_rejected) {
  const unsigned few = seed_budget(10);
  EXPECT_THROW(failing<in_order_of_the_call>({}, strong, few), hang_error);
  EXPECT_GT(failing<half_a_set>({}, strong, few, races::pass), 0u);
  EXPECT_GT(failing<lets_go_early>({}, strong, few, races::pass), 0u);
  EXPECT_GT((failing<device_set<without_acquire, in_order>>({}, strong, few)), 0u);
  EXPECT_GT((failing<device_set<without_release, in_order>>({}, strong, few)), 0u);
  EXPECT_GT((failing<device_set<without_acquire, together>>({}, strong, few)), 0u);
  EXPECT_GT((failing<device_set<withdraws_by_a_store, together>>({}, strong, few)), 0u);
}

}  // namespace
}  // namespace finesync::test::lock_set_test
