// One acquisition per warp and lock: sections that merge, and sections that do not.
#include "all_locks.hpp"
#include "exploration.hpp"

#include <finesync/locks/contention_probe.cuh>

namespace finesync::test {
namespace {

using lock = combining_lock<ordered_spin_lock<scope::device>>;

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
__global__ void add(lock_table_ref<lock> locks, cell<std::uint32_t>* sums, watchdog_ref dog,
                    contention_probe probe) {
  const unsigned which = threadIdx.x % 2;
  probe.begin(which);
  if constexpr (mergeable<Section>) {
    run_exclusive(locks[which], Section{sums[which], threadIdx.x}, dog, probe);
  } else {
    run_exclusive(locks[which], Section{sums[which]}, dog, probe);
  }
  probe.finish();
}

struct result {
  std::uint32_t even, odd;
  contention_totals seen;
};

template <class Section>
result run_add(const simt::settings& how) {
  simt::scoped_settings scoped(how);
  lock_table<lock> locks(2, lock_spacing::packed);
  buffer<std::uint32_t> sums(2);
  sums.fill_bytes(0);
  watchdog dog;
  const contention_record record(2, 2);
  launch_cooperative(add<Section>, {2, 64}, locks.ref(), sums.as<cell<std::uint32_t>>(), dog.ref(),
                     record.probe());
  const auto host = sums.to_host();
  return {host[0], host[1], record.totals()};
}

TEST(combining, a_warp_in_step_takes_each_lock_once) {
  const result merged = run_add<add_amount>({});
  EXPECT_EQ(merged.even, 2u * (0 + 62) * 32 / 2);
  EXPECT_EQ(merged.odd, 2u * (1 + 63) * 32 / 2);
  EXPECT_EQ(merged.seen.acquisitions, 8u);  // 4 warps, 2 locks
  const result one_by_one = run_add<count_up>({});
  EXPECT_EQ(one_by_one.even, 64u);
  EXPECT_EQ(one_by_one.odd, 64u);
  EXPECT_EQ(one_by_one.seen.acquisitions, 8u);
}

TEST(combining, any_grouping_gives_the_same_result) {
  std::uint64_t fewest = 1000;
  std::uint64_t most = 0;
  for (unsigned seed = 0; seed < 200; ++seed) {
    const simt::settings how = simt::random_schedule(seed, simt::memory_kind::weak);
    const result merged = run_add<add_amount>(how);
    ASSERT_EQ(merged.even, 2u * 62 * 16) << "seed " << seed;
    ASSERT_EQ(merged.odd, 2u * 64 * 16) << "seed " << seed;
    ASSERT_EQ(run_add<count_up>(how).even, 64u) << "seed " << seed;
    fewest = std::min(fewest, merged.seen.acquisitions);
    most = std::max(most, merged.seen.acquisitions);
  }
  EXPECT_LT(fewest, most);  // the schedules did try different groupings
}

}  // namespace
}  // namespace finesync::test
