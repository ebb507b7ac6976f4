// Conflict-free rounds on the device: batches of many sections, for many pairs or for one.
#include "gpu_fixture.hpp"

#include <finesync/barriers/autotuned_barrier.cuh>
#include <finesync/conflict_free/grouped_schedule.cuh>
#include <finesync/conflict_free/latin_square.cuh>
#include <finesync/conflict_free/round_robin.cuh>

#include <tests/library/conflict_free/batch_kernels.cuh>

namespace finesync::test::conflict_free_gpu_test {
namespace {

class conflict_free_rounds : public on_gpu {};

TEST_F(conflict_free_rounds, played_by_warps_are_as_if_one_after_another) {
  const auto expect_right = [](const auto& all, const batch& of) {
    using words = handoff_by_version<std::uint32_t>;
    EXPECT_TRUE((warps_play_right<pay_and_remember, words>(all, all, of)));
    EXPECT_TRUE((warps_play_right<pay_by_twos, words>(all, all, of)));
  };
  for (const unsigned entries : {0u, 1024u, 4096u}) {
    for (const unsigned parts : {2u, 8u}) {
      const stage_size stage = {entries, parts};
      expect_right(grouped_schedule<round_robin>(round_robin(8)), {400'000, false, stage});
      expect_right(grouped_schedule<round_robin>(round_robin(32)), {400'000, false, stage});
      expect_right(grouped_schedule<round_robin>(round_robin(2)), {50'000, true, stage});
      expect_right(grouped_schedule<latin_square>(latin_square(5, 3)), {400'000, false, stage});
    }
  }
}

/// Both handoffs of groups, and hot lanes that run together.
template <class Schedule>
void expect_no_money_lost(const Schedule& all, const batch_run& of) {
  const auto words = [](cell<std::uint64_t>* accounts, const launch_shape&) {
    return handoff_by_version<std::uint32_t>{accounts};
  };
  const autotuned_barrier barrier(
      {all.pairs_per_round(), of.threads,
       shared_bytes_by_blocks<std::uint32_t, transfer>(of.size, of.staged)});
  const auto meet = [&](cell<std::uint32_t>* accounts, const launch_shape&) {
    return handoff_by_barrier<std::uint32_t, autotuned_barrier::ref_type>{accounts, barrier.ref()};
  };
  EXPECT_TRUE((blocks_play_right<full_empty_pair_of_block, std::uint64_t>(all, of, words)));
  EXPECT_TRUE(
      (blocks_play_right<full_empty_pair_of_block, std::uint64_t, pay_together>(all, of, words)));
  EXPECT_TRUE((blocks_play_right<full_empty_pair_of_block, std::uint32_t>(all, of, meet)));
}

TEST_F(conflict_free_rounds, played_by_blocks_lose_no_money) {
  const batch_run spread{.requests = 2'000'000, .size = 256, .threads = 1024, .staged = 4096};
  expect_no_money_lost(round_robin(64), spread);
  expect_no_money_lost(latin_square(48, 60), spread);
  batch_run skewed{.requests = 40'000, .size = 2, .to_one = true, .threads = 1024, .staged = 256};
  expect_no_money_lost(round_robin(8), skewed);
}

}  // namespace
}  // namespace finesync::test::conflict_free_gpu_test
