// Groups that stay in place: a thread that awaits a group's count sees all its earlier changes.
#include <finesync/conflict_free/group_rounds.cuh>
#include <finesync/conflict_free/latin_square.cuh>

#include <tests/library/harness/harness.hpp>

namespace finesync::test::group_rounds_test {
namespace {

constexpr unsigned size = 5;  // data of a group

/// Every block changes each datum of each group into a record of its visitors, in order.
template <class Flags>
__global__ void visit(latin_square all, Flags flags, cell<std::uint32_t>* data,
                      watchdog_ref watchdog) {
  for (unsigned round = 0; round < all.rounds(); ++round) {
    const unsigned group = all.objects_of(round, blockIdx.x).second - all.pairs_per_round();
    bool in_vain = false;
    if (threadIdx.x == 0) in_vain = !flags.await(group, round, watchdog);
    if (__syncthreads_or(in_vain) != 0) return;
    for (unsigned i = threadIdx.x; i < size; i += blockDim.x) {
      // Not the datum of this thread's last visit.
      cell<std::uint32_t>& datum = data[group * size + (i + round) % size];
      datum = datum * 31 + blockIdx.x;
    }
    __syncthreads();
    if (threadIdx.x == blockDim.x - 1) flags.advance(group, round + 1);
  }
}

/// \tparam Ref of the groups, or a variant that is made from theirs.
template <class Groups, class Ref = typename Groups::ref_type>
bool all_see_each_other() {
  constexpr unsigned groups = 3;
  const latin_square all(groups, groups);
  const launch_shape shape{.blocks = groups, .threads_per_block = 34};
  auto data = zeroed(groups * size);
  Groups flags(groups);
  const watchdog timeout;
  std::vector<std::uint32_t> expected(groups * size);
  for (unsigned batch = 0; batch < 2; ++batch) {
    flags.reset();
    launch_cooperative(visit<Ref>, shape, all, Ref(flags.ref()), data.device_data(), timeout.ref());
    if (timeout.fired()) return false;
    for (unsigned round = 0; round < groups; ++round) {
      for (unsigned block = 0; block < groups; ++block) {
        const unsigned group = all.objects_of(round, block).second - groups;
        for (unsigned i = 0; i < size; ++i) {
          std::uint32_t& datum = expected[group * size + i];
          datum = datum * 31 + block;
        }
      }
    }
  }
  return data.to_host() == expected;
}

template <class... Groups>
unsigned failing(simt::memory_kind memory, unsigned seeds) {
  return failing_seeds(memory, seeds, [] { return all_see_each_other<Groups...>(); });
}

TEST(group_rounds, bring_a_group_with_all_that_was_done_to_it) {
  for (const auto memory : {strong, weak})
    EXPECT_EQ(failing<group_rounds<>>(memory, seed_budget(200)), 0u);
}

/// Never waits.
struct always_up : group_rounds_ref<> {
  explicit always_up(const group_rounds_ref<>& flags) : group_rounds_ref<>(flags) {}
  __device__ bool await(unsigned, std::uint32_t, const watchdog_ref&) const { return true; }
};

template <bool Releases, bool Acquires>
struct some_fences : event_fences {
  __device__ static void release() {
    if (Releases) event_fences::release();
  }
  __device__ static void acquire() {
    if (Acquires) event_fences::acquire();
  }
};

TEST(broken_group_rounds, are_rejected) {
  const unsigned few = seed_budget(20);
  EXPECT_GT((failing<group_rounds<>, always_up>(strong, few)), 0u);
  EXPECT_GT((failing<group_rounds<some_fences<false, true>>>(weak, few)), 0u);
  EXPECT_GT((failing<group_rounds<some_fences<true, false>>>(weak, few)), 0u);
  EXPECT_GT((failing<group_rounds<some_fences<true, false>>>(strong, few)), 0u);
}

}  // namespace
}  // namespace finesync::test::group_rounds_test
