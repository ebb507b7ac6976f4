// Barriers of teams on the device: all SMs in teams of several sizes, and in rows and columns.
#include "gpu_fixture.hpp"

#include <workloads/team/run_config.hpp>
#include <workloads/team/teams_makers.hpp>

#include <tests/primitives.hpp>

namespace finesync::test::team_gpu_test {
namespace {

using team::run_config;

class teams_on_gpu : public on_gpu {};

// Teams of up to 16 members use words, larger ones a counter. Each thread writes a word before a
// barrier, and reads the next member's word after it.
TEST_F(teams_on_gpu, hand_everything_over) {
  for (auto* make : {team::make_team_barrier, team::make_cutlass_teams}) {
    for (const bool crossing : {false, true}) {
      for (const unsigned size : {1u, 2u, 4u, 11u, 16u, 17u, 0u}) {
        for (const unsigned threads : {32u, 128u, 1024u}) {
          const auto which = make({.threads_per_block = threads,
                                   .team_size = size,
                                   .crossing = crossing,
                                   .words = 1,
                                   .rounds = 500});
          workload::expect_right_once(*which, size, ' ', crossing, ' ', threads);
        }
      }
    }
  }
}

}  // namespace
}  // namespace finesync::test::team_gpu_test
