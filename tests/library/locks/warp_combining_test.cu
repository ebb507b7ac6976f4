// One acquisition per warp and lock: sections that merge, and sections that do not.
#include "counter_kernels.cuh"

#include <workloads/common/observers/contention_observer.cuh>

#include <tests/catalogue/locks.hpp>
#include <tests/library/harness/harness.hpp>

namespace finesync::test::combining_test {
namespace {

using lock = warp_combined<tas_lock<scope::device>>;

/// Adds each lane's amount; a group adds its sum at once.
struct add_amount {
  cell<std::uint32_t>& sum;
  std::uint32_t amount;
  __device__ void operator()() const { sum = sum + amount; }
  __device__ add_amount merge(const lane_group& group) const {
    return {sum, group.fold(amount, [](std::uint32_t a, std::uint32_t b) { return a + b; })};
  }
};

template <class Section>
__global__ void add(lock_table_ref<lock> locks, cell<std::uint32_t>* sums, watchdog_ref watchdog,
                    workload::contention_observer probe) {
  const unsigned which = threadIdx.x % 2;
  probe.begin(which);
  if constexpr (mergeable<Section>) {
    run_exclusive(locks[which], Section{sums[which], threadIdx.x}, watchdog, probe);
  } else {
    run_exclusive(locks[which], Section{sums[which]}, watchdog, probe);
  }
  probe.finish();
}

struct result {
  std::uint32_t even, odd;
  workload::contention_totals seen;
};

template <class Section>
result run_add(const simt::settings& how) {
  simt::scoped_settings scoped(how);
  lock_table<lock> locks(2, lock_layout::packed);
  auto sums = zeroed(2);
  watchdog timeout;
  const workload::contention_record record(2, 2);
  launch_cooperative(add<Section>, {2, 64}, locks.ref(), sums.device_data(), timeout.ref(),
                     record.probe());
  const auto host = sums.to_host();
  return {host[0], host[1], record.totals()};
}

TEST(warp_combining, a_warp_in_step_takes_each_lock_once) {
  const result merged = run_add<add_amount>({});
  EXPECT_EQ(merged.even, 2u * (0 + 62) * 32 / 2);
  EXPECT_EQ(merged.odd, 2u * (1 + 63) * 32 / 2);
  EXPECT_EQ(merged.seen.acquisitions, 8u);  // 4 warps, 2 locks
  const result one_by_one = run_add<count_up>({});
  EXPECT_EQ(one_by_one.even, 64u);
  EXPECT_EQ(one_by_one.odd, 64u);
  EXPECT_EQ(one_by_one.seen.acquisitions, 8u);
}

TEST(warp_combining, any_grouping_gives_the_same_result) {
  std::uint64_t fewest = 1000;
  std::uint64_t most = 0;
  for (unsigned seed = 0; seed < 200; ++seed) {
    const simt::settings how = simt::random_schedule(seed, weak);
    const result merged = run_add<add_amount>(how);
    ASSERT_EQ(merged.even, 2u * 62 * 16) << "seed " << seed;
    ASSERT_EQ(merged.odd, 2u * 64 * 16) << "seed " << seed;
    ASSERT_EQ(run_add<count_up>(how).even, 64u) << "seed " << seed;
    fewest = std::min(fewest, merged.seen.acquisitions);
    most = std::max(most, merged.seen.acquisitions);
  }
  EXPECT_LT(fewest, most);  // the schedules did produce different groups
}

/// Block 0 never lets go of the lock that it finds held, and changes memory until the watchdog ends
/// the waits of block 1, as otherwise the executor reports a livelock before.
template <class Section>
__global__ void wait_for_ever(lock_table_ref<lock> locks, cell<std::uint32_t>* sum,
                              cell<std::uint32_t>* words, watchdog_ref watchdog) {
  using word = atomic_ref<std::uint32_t, scope::device>;
  if (blockIdx.x == 0) {
    bounded_wait wait(watchdog);
    while (!wait.timed_out()) word(words[0]).fetch_add(1, memory_order::relaxed);
    return;
  }
  bool done = false;
  if constexpr (mergeable<Section>)
    done = run_exclusive(locks[0], Section{*sum, 1}, watchdog);
  else
    done = run_exclusive(locks[0], Section{*sum}, watchdog);
  if (done) word(words[1]).fetch_add(1, memory_order::relaxed);
}

__global__ void take_and_keep(lock_table_ref<lock> locks) {
  tas_lock<scope::device> inner = locks[0].inner();
  auto acquisition = inner.enqueue();
  while (!inner.try_enter(acquisition)) inner.wait(acquisition);
}

template <class Section>
void expect_no_section_under_a_lock_that_is_kept() {
  const lock_table<lock> locks(1, lock_layout::packed);
  auto sum = zeroed(1);
  auto words = zeroed(2);
  launch_independent(take_and_keep, {1, 1}, locks.ref());
  EXPECT_FALSE(ends(watchdog(1'000'000), wait_for_ever<Section>, {2, 32}, locks, sum, words));
  EXPECT_EQ(first_of(sum), 0u);
  EXPECT_EQ(words.to_host()[1], 0u);
}

TEST(warp_combining, no_lane_runs_its_section_when_the_watchdog_has_ended_the_wait) {
  expect_no_section_under_a_lock_that_is_kept<count_up>();
  expect_no_section_under_a_lock_that_is_kept<add_amount>();
}

/// Puts a node of each lane on a list; a group of lanes links its own nodes before it acquires the
/// lock. The holder walks the whole list, and so reads what other groups wrote without the lock.
struct push_node {
  cell<std::uint32_t>* next;  ///< by node, from 1; 0 ends a list
  cell<std::uint32_t>& head;
  cell<std::uint32_t>& length;
  cell<std::uint32_t>& wrong;
  std::uint32_t first;
  std::uint32_t last;
  std::uint32_t count;

  __device__ void operator()() const {
    next[last] = head;
    head = first;
    length = length + count;
    std::uint32_t walked = 0;
    for (std::uint32_t node = head; node != 0 && walked <= length; node = next[node]) ++walked;
    if (walked != length) wrong = 1u;
  }
  __device__ push_node merge(const lane_group& group) const {
    const std::uint32_t after = group.get(first, group.next());
    if (!group.is_last()) next[last] = after;
    return {next,
            head,
            length,
            wrong,
            group.get(first, group.leader()),
            group.get(last, group.last()),
            static_cast<std::uint32_t>(group.size())};
  }
};

__global__ void push(lock_table_ref<lock> locks, cell<std::uint32_t>* next,
                     cell<std::uint32_t>* list, watchdog_ref watchdog) {
  const std::uint32_t node = blockIdx.x * blockDim.x + threadIdx.x + 1;
  run_exclusive(locks[0], push_node{next, list[0], list[1], list[2], node, node, 1}, watchdog);
}

TEST(warp_combining, what_lanes_write_while_they_merge_is_the_next_holders_to_read) {
  constexpr unsigned blocks = 3;
  constexpr unsigned threads = 8;
  const auto right = [] {
    const lock_table<lock> locks(1, lock_layout::packed);
    auto next = zeroed(1 + blocks * threads);
    auto list = zeroed(3);
    const bool ended = ends(push, {blocks, threads}, locks, next, list);
    const auto found = list.to_host();
    return ended && found[1] == blocks * threads && found[2] == 0;
  };
  EXPECT_EQ(failing_seeds(strong, 200, right), 0u);
  EXPECT_EQ(failing_seeds(weak, seed_budget(100), right), 0u);
}

}  // namespace
}  // namespace finesync::test::combining_test
