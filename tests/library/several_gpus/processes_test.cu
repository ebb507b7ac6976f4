// What processes with a GPU each make together: the same barrier, memory and reports as one process
// with all GPUs.
#include "gpus_exchange.hpp"

#include <finesync/several_gpus/symmetric_memory.cuh>
#include <simt/launch.hpp>
#include <simt/settings.hpp>

#include <gtest/gtest.h>
#include <tests/processes_of_gpus.hpp>

#include <array>
#include <memory>
#include <numeric>
#include <span>
#include <string>
#include <vector>

namespace finesync::test::processes_test {
namespace {

/// What each process owns.
struct owners {
  owners(process_turns& everyone, unsigned rank, const gpus_exchange_plan& plan)
      : all(std::make_shared<process_with_gpu>(everyone, rank)),
        barrier(all, plan.shape(), plan.plan),
        words(all, exchange_parts * plan.threads()),
        timeout(all, 500'000) {}

  peers all;
  gpus_barrier barrier;
  symmetric_memory words;
  gpus_watchdog timeout;
};

template <class BarrierRef>
__global__ void exchange_unless_absent(BarrierRef barrier, gpus_exchange_ref with, bool one_is_away,
                                       watchdog_ref watchdog) {
  auto participant = barrier.join(watchdog);
  if (one_is_away && with.view.me == 1 && blockIdx.x == 2) return;
  for (unsigned round = 0; round < with.rounds; ++round) {
    with.write(round);
    if (!participant.wait()) return;
    cell<std::uint32_t>& wrong = with.word(with.view.me, 4, with.thread());
    wrong = wrong + with.count_wrong(round);
  }
}

struct verdict {
  std::array<std::string, processes> reports;  ///< of each process; empty if there is none
  unsigned wrong = 0;
};

/// One launch of the grids of both processes.
verdict run(bool one_is_away) {
  const gpus_exchange_plan plan;
  process_turns everyone;
  std::array<std::unique_ptr<owners>, processes> of;
  everyone.run([&](unsigned rank) { of[rank] = std::make_unique<owners>(everyone, rank, plan); });
  const std::array streams{of[0]->all.streams()[0], of[1]->all.streams()[0]};
  EXPECT_EQ(streams[1].device(), 1);
  launch_together(std::span<const stream>(streams), exchange_unless_absent<gpus_barrier::ref_type>,
                  plan.shape(), [&](unsigned me) {
                    const owners& own = *of[me];
                    return std::tuple(own.barrier.ref(me),
                                      gpus_exchange_ref{own.words.view(me), plan.rounds, 0, 0},
                                      one_is_away, own.timeout.ref(me));
                  });
  verdict found;
  everyone.run([&](unsigned rank) {
    const auto report = of[rank]->timeout.report();
    if (report) found.reports[rank] = to_string(*report);
    const auto words = of[rank]->words.piece(rank).to_host();
    const auto begin = words.begin() + static_cast<std::ptrdiff_t>(4 * plan.threads());
    found.wrong += std::accumulate(begin, begin + static_cast<std::ptrdiff_t>(plan.threads()), 0u);
    of[rank].reset();
  });
  return found;
}

TEST(processes_with_a_gpu_each, hand_over_what_their_blocks_wrote) {
  for (unsigned seed = 0; seed < 10; ++seed) {
    const simt::scoped_settings scoped(simt::random_schedule(seed, simt::memory_kind::weak));
    const verdict found = run(false);
    EXPECT_EQ(found.wrong, 0u) << "seed " << seed;
    EXPECT_EQ(found.reports[0] + found.reports[1], "") << "seed " << seed;
  }
}

TEST(processes_with_a_gpu_each, all_name_the_block_that_never_arrived) {
  const verdict found = run(true);
  const std::string& text = found.reports[0];
  EXPECT_EQ(text, found.reports[1]);
  EXPECT_LT(text.find("; GPU 1: "), text.find("; block 2 never arrived")) << text;
  EXPECT_NE(text.find("; block 2 never arrived"), std::string::npos) << text;
}

TEST(processes_with_a_gpu_each, tell_each_other_lists_of_any_length) {
  process_turns everyone;
  everyone.run([&](unsigned rank) {
    const process_in_turn me(everyone, rank);
    const std::vector<int> mine = rank == 0 ? std::vector<int>{} : std::vector{7, 8, 9};
    const auto all = gather_lists(me, mine);
    EXPECT_EQ(all, (std::vector<std::vector<int>>{{}, {7, 8, 9}}));
  });
}

}  // namespace
}  // namespace finesync::test::processes_test
