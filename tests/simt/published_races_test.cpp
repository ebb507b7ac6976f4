// Scoped races that were found in published code (Kamath and Basu, "iGUARD: In-GPU Advanced Race
// Detection", SOSP 2021; Sinclair et al., HeteroSync), in their smallest form.
#include "races.hpp"

namespace simt_test::published_races_test {
namespace {

using enum memory_order;

enum class flaw { none, resets_late, arrives_in_its_block, reads_no_acquire };

template <flaw Flaw>
void twice_through_a_barrier(cell32* words) {
  cell32& arrived = words[far];
  cell32& generation = words[2 * far];
  for (std::uint32_t round = 1; round <= 2; ++round) {
    cell32* const of_round = words + (2 + round) * far;
    of_round[blockIdx.x] = round;
    constexpr scope arrival = Flaw == flaw::arrives_in_its_block ? scope::block : scope::device;
    const atomic_ref<std::uint32_t, arrival> count(arrived);
    if (count.fetch_add(1, acq_rel) == gridDim.x - 1) {
      if (Flaw != flaw::resets_late) arrived = 0u;
      device_ref(generation).store(round, release);
      if (Flaw == flaw::resets_late) arrived = 0u;
    } else {
      await<scope::device>(generation, Flaw == flaw::reads_no_acquire ? relaxed : acquire, round);
    }
    static_cast<void>(of_round[(blockIdx.x + 1) % gridDim.x] + 0u);
  }
}

TEST(races_found_elsewhere, a_barrier_that_is_right_has_none) {
  EXPECT_EQ(race_of(twice_through_a_barrier<flaw::none>, 3), "");
}

TEST(races_found_elsewhere, a_barrier_counter_set_back_after_the_others_were_let_go) {
  expect_race(race_of(twice_through_a_barrier<flaw::resets_late>, 3), {"plain store", "fetch_add"});
}

TEST(races_found_elsewhere, an_arrival_at_block_scope_between_blocks) {
  expect_race(race_of(twice_through_a_barrier<flaw::arrives_in_its_block>, 3),
              {"block-scope fetch_add", "missing: device scope in both"});
}

TEST(races_found_elsewhere, a_flag_read_without_acquire) {
  expect_race(race_of(twice_through_a_barrier<flaw::reads_no_acquire>, 3),
              {"missing: a device-scope acquire between"});
}

template <scope Scope>
void count_under_a_lock(cell32* words) {
  const atomic_ref<std::uint32_t, Scope> lock(words[far]);
  for (std::uint32_t expected = 0; !lock.compare_exchange(expected, 1, acquire);) expected = 0;
  words[0] = words[0] + 1;
  lock.store(0, release);
}

TEST(races_found_elsewhere, a_lock_for_the_device_taken_at_block_scope) {
  EXPECT_EQ(race_of(count_under_a_lock<scope::device>, 3), "");
  expect_race(race_of(count_under_a_lock<scope::block>, 3),
              {"block-scope", "compare-exchange", "device scope in both"});
}

}  // namespace
}  // namespace simt_test::published_races_test
