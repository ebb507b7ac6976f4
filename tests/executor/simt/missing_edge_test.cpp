// The hint of a race is the repair: each kernel lacks one edge, which the report names, and has no
// race with it.
#include "races.hpp"

namespace simt_test::missing_edge_test {
namespace {

using enum memory_order;

enum class edge { none, before_release, after_acquire, acquire };

/// All threads of block 0 write, its thread 0 tells thread 0 of block 1, whose threads all read.
template <edge Missing>
void between_teams(cell32* words) {
  cell32& flag = words[2 * far];
  if (blockIdx.x == 0) {
    words[threadIdx.x] = 1;
    if (Missing != edge::before_release) __syncthreads();
    if (threadIdx.x == 0) device_ref(flag).store(1, release);
  } else {
    if (threadIdx.x == 0) await<scope::device>(flag, Missing == edge::acquire ? relaxed : acquire);
    if (Missing != edge::after_acquire) __syncthreads();
    words[far + threadIdx.x] = words[threadIdx.x] + 0u;
  }
}

TEST(missing_edge, is_none_if_the_first_threads_speak_for_their_blocks) {
  EXPECT_EQ(race_of(between_teams<edge::none>, 2, 2), "");
}

TEST(missing_edge, is_a_barrier_before_the_release) {
  expect_race(race_of(between_teams<edge::before_release>, 2, 2),
              {"block 1, thread 1 goes on after the atomic store",
               "which nothing orders after the plain store by block 0, thread 1",
               "missing: __syncwarp() or __syncthreads() between the two"});
}

TEST(missing_edge, is_a_barrier_after_the_acquire) {
  expect_race(race_of(between_teams<edge::after_acquire>, 2, 2),
              {"missing: __syncwarp() or __syncthreads() between that and the plain load by block "
               "1, thread 1"});
}

TEST(missing_edge, is_an_acquire_of_the_thread_that_has_waited) {
  expect_race(race_of(between_teams<edge::acquire>, 2, 2),
              {"missing: a device-scope acquire between the atomic load", "by block 1, thread 0"});
}

/// Of a word that is counted in one block, and read in the other.
template <bool IsPlain>
void read_beside_a_count(cell32* words) {
  if (blockIdx.x == 0)
    device_ref(words[0]).fetch_add(1, relaxed);
  else
    words[far] = IsPlain ? words[0] + 0u : device_ref(words[0]).load(relaxed);
}

TEST(missing_edge, is_an_atomic_access_in_place_of_the_plain_one) {
  EXPECT_EQ(race_of(read_beside_a_count<false>, 2), "");
  expect_race(race_of(read_beside_a_count<true>, 2),
              {"missing: an atomic access in place of the plain load"});
}

/// Block 1 may raise the flag itself, so that it does not wait for block 0.
template <bool IsRaised>
void wait_for_any(cell32* words) {
  if (blockIdx.x == 0) {
    words[0] = 1;
    flag_of(words).fetch_add(1, release);
  } else {
    if (IsRaised) flag_of(words).fetch_add(1, relaxed);
    await<scope::device>(words[far], acquire);
    words[2 * far] = words[0] + 0u;
  }
}

TEST(missing_edge, is_a_wait_that_waits_for_the_other) {
  EXPECT_EQ(race_of(wait_for_any<false>, 2), "");
  expect_race(race_of(wait_for_any<true>, 2), {"missing: a wait for it"});
}

}  // namespace
}  // namespace simt_test::missing_edge_test
