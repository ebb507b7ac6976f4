// The checks of overlapped barriers must reject each of these variants with one mistake.
#include "broken_barriers.hpp"
#include "exchange.hpp"

namespace finesync::test::broken_overlap_test {
namespace {

constexpr unsigned seeds = 100;

/// Number of schedules with wrong words, not merely endless waits.
template <class Run>
unsigned failing(simt::memory_kind memory, Run run, const exchange_config& config) {
  return failing_seeds(
      memory, seeds, [&] { return run(config).nothing_wrong; }, races::pass);
}

constexpr exchange_config few{.blocks = 6, .threads_per_block = 7, .stores = 4};
constexpr exchange_config two_warps{.blocks = 6, .threads_per_block = 40, .rounds = 6};

template <class Barrier>
unsigned failing_split() {
  const unsigned found = failing(weak, run_split_exchange<Barrier>, few);
  // On one SM, a flag is most likely to overtake other stores.
  simt::settings how = simt::current_settings();
  how.gpu.sms = 1;
  const simt::scoped_settings scoped(how);
  return found + failing(weak, run_split_exchange<Barrier>,
                         {.blocks = 3, .threads_per_block = 3, .stores = 12});
}

TEST(broken_split, arrival_without_release_is_rejected) {
  EXPECT_GT(failing_split<counters_with<added_without_release>::flat_counters>(), 0u);
  EXPECT_GT(failing_split<counters_with<added_without_release>::gather_broadcast>(), 0u);
  EXPECT_GT(failing_split<trees_with<without_release>::reversing>(), 0u);
}

TEST(broken_split, wait_without_acquire_is_rejected) {
  EXPECT_GT(failing_split<counters_with<looked_without_acquire>::flat_counters>(), 0u);
  EXPECT_GT(failing_split<counters_with<looked_without_acquire>::gather_broadcast>(), 0u);
  EXPECT_GT(failing_split<trees_with<without_acquire>::reversing>(), 0u);
}

TEST(broken_split, unbroken_passes) {
  EXPECT_EQ(failing_split<flat_counters>(), 0u);
  EXPECT_EQ(failing_split<sense_reversing>(), 0u);
}

/// The first warp joins the others only in the next round.
template <class Participant>
class met_a_round_late : public Participant {
 public:
  using Participant::Participant;
  __device__ bool sync_for_block() {
    if (under_way_ && !this->wait_for_block()) return false;
    under_way_ = true;
    this->arrive_for_block();
    return true;
  }

 private:
  bool under_way_ = false;
};

using sense_block = sense_reversing_block<no_backoff, tree_fences>;
using two_rounds_ahead = tree_barrier<with_overlap<met_a_round_late<sense_block>>>;

TEST(broken_fuzzy, blocks_that_run_two_rounds_ahead_are_rejected) {
  EXPECT_GT(failing(strong, run_fuzzy_exchange<two_rounds_ahead>, two_warps), 0u);
}

template <class Barrier>
unsigned racing_fuzzy() {
  return racing_seeds(10, [] { return run_fuzzy_exchange<Barrier>(two_warps).right(); });
}

// Words have two rounds to arrive, so they seldom show a missing fence.
TEST(broken_fuzzy, missing_fences_and_rounds_ahead_are_races) {
  EXPECT_GT(racing_fuzzy<counters_with<added_without_release>::flat_counters>(), 0u);
  EXPECT_GT(racing_fuzzy<counters_with<looked_without_acquire>::flat_counters>(), 0u);
  EXPECT_GT(racing_fuzzy<trees_with<without_release>::lock_free>(), 0u);
  EXPECT_GT(racing_fuzzy<trees_with<without_acquire>::atomic>(), 0u);
  EXPECT_GT(racing_fuzzy<two_rounds_ahead>(), 0u);
  EXPECT_EQ(racing_fuzzy<flat_counters>(), 0u);
}

/// Returns the result of the previous round.
template <class Reduction>
struct of_the_round_before : Reduction {
  using word = typename Reduction::word;
  __device__ static std::uint32_t found(cell<word>& counter, word since, std::uint32_t round) {
    return Reduction::found(counter, since, round - 1);
  }
};

/// One field for all rounds: the next round adds to it before all threads have read it.
struct in_one_field : sum_reduction {
  __device__ static word added(std::uint32_t value, std::uint32_t) { return value; }
  __device__ static std::uint32_t found(cell<word>&, word since, std::uint32_t) {
    return static_cast<std::uint32_t>(since) & max_value;
  }
};

/// A thread that has read a field clears it before others have read it.
struct cleared_too_early : min_reduction {
  __device__ static std::uint32_t found(cell<word>& counter, word since, std::uint32_t round) {
    const std::uint32_t result = min_reduction::found(counter, since, round);
    field((&counter)[1 + round % 2]).store(0, memory_order::relaxed);
    return result;
  }
};

template <class Broken, class Right>
unsigned failing_payload(form how) {
  return failing(
      strong,
      [how](const exchange_config& config) {
        return run_carried<flat_counters_with<Broken>, Right>(config, how);
      },
      two_warps);
}

TEST(broken_payload, of_the_round_before_is_rejected) {
  EXPECT_GT((failing_payload<of_the_round_before<sum_reduction>, sum_reduction>(form::whole)), 0u);
  EXPECT_GT((failing_payload<of_the_round_before<any_reduction>, any_reduction>(form::split)), 0u);
  EXPECT_GT((failing_payload<of_the_round_before<min_reduction>, min_reduction>(form::fuzzy)), 0u);
}

TEST(broken_payload, in_one_field_for_all_rounds_is_rejected) {
  EXPECT_GT((failing_payload<in_one_field, sum_reduction>(form::split)), 0u);
}

TEST(broken_payload, cleared_before_all_have_read_it_is_rejected) {
  EXPECT_GT((failing_payload<cleared_too_early, min_reduction>(form::split)), 0u);
}

}  // namespace
}  // namespace finesync::test::broken_overlap_test
