// The timed fences on the device: all accesses take place, a missing one is found, cycles are
// reported.
#include "gpu_fixture.hpp"

#include <workloads/fence/fence_experiment.cuh>

#include <tests/primitives.hpp>
#include <tests/suite/fence/all_settings.hpp>
#include <tests/suite/fence/broken_touch.cuh>

namespace finesync::fence_cost {
namespace {

constexpr unsigned rounds = 20;

class fences_on_gpu : public test::on_gpu {};

TEST_F(fences_on_gpu, touch_what_they_are_to_touch_in_every_round) {
  for (const auto& each : all_fences()) {
    for_all_settings(rounds, [&](const run_config& config) {
      const auto experiment = each.make(config);
      workload::expect_right_once(*experiment);
      EXPECT_EQ(experiment->measure().count("fence_cycles_p50"), 1u);
    });
  }
}

TEST_F(fences_on_gpu, with_an_access_left_out_are_rejected) {
  for_all_settings(rounds, [](const run_config& config) {
    fence_experiment<no_fence, broken_touch<rounds>> broken(config);
    EXPECT_EQ(workload::ending(broken).ok(), config.accessed == place::none);
  });
}

}  // namespace
}  // namespace finesync::fence_cost
