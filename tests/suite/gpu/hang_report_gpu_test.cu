// Hangs on a GPU: the host reads who waits for whom while the kernel hangs, and after it has ended.
#include "gpu_fixture.hpp"

#include <tests/library/hangs/planted_hangs.cuh>

#include <chrono>
#include <cstdio>

namespace finesync::test::hang_report_gpu_test {
namespace {

class hang_report_on_gpu : public on_gpu {};

using clock = std::chrono::steady_clock;

double ms_since(clock::time_point start) {
  return std::chrono::duration<double, std::milli>(clock::now() - start).count();
}

TEST_F(hang_report_on_gpu, names_the_culprits_of_thirty_hangs_while_they_hang_and_afterwards) {
  constexpr std::uint64_t limit_ns = 640'000'000;
  const launch_shape grid{.blocks = static_cast<unsigned>(current_gpu().sms),
                          .threads_per_block = 128};
  unsigned named_alive = 0;
  unsigned named = 0;
  for (const unsigned seed : {1u, 2u}) {
    for (const planted_hang& hang : planted_hangs(grid, seed)) {
      const watchdog timeout(limit_ns);
      stream().synchronize();
      const auto began = clock::now();
      hang.launch(timeout);
      waiting_blocks meanwhile;
      double seen_ms = 0;
      while (meanwhile.culprits() != hang.culprits && ms_since(began) < 1000) {
        meanwhile = timeout.waits();
        seen_ms = ms_since(began);
      }
      const bool alive = cudaStreamQuery(nullptr) == cudaErrorNotReady;
      const bool right = meanwhile.culprits() == hang.culprits;
      named_alive += alive && right;
      EXPECT_TRUE(alive && right) << hang.name << ": " << to_string(meanwhile);
      const auto report = timeout.report();
      const double ended_ms = ms_since(began);
      ASSERT_TRUE(report) << hang.name;
      named += report->all.culprits() == hang.culprits;
      EXPECT_EQ(report->all.culprits(), hang.culprits) << hang.name << ": " << to_string(*report);
      EXPECT_TRUE(report->hung()) << hang.name << ": " << to_string(*report);
      std::printf("%s: named after %.0f ms, ended after %.0f ms: %s\n", hang.name.c_str(), seen_ms,
                  ended_ms, to_string(report->all).c_str());
    }
  }
  std::printf("named %u of 30 while they hang, %u of 30 afterwards\n", named_alive, named);
}

TEST_F(hang_report_on_gpu, takes_nobody_who_is_slow_for_hung) {
  constexpr std::uint64_t limit_ns = 320'000'000;
  const launch_shape grid{.blocks = static_cast<unsigned>(current_gpu().sms),
                          .threads_per_block = 128};
  for (const unsigned slow : {0u, 77u}) {
    const watchdog timeout(limit_ns);
    const cutlass_counter_barrier<> barrier(grid);
    launch_cooperative(come_late<decltype(barrier.ref())>, grid, barrier.ref(), slow,
                       limit_ns * 3 / 4, 3u, timeout.ref());
    EXPECT_FALSE(timeout.report());
    EXPECT_TRUE(timeout.waits().waits.empty());
  }
}

}  // namespace
}  // namespace finesync::test::hang_report_gpu_test
