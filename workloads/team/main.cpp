// team: barriers of teams of blocks; see run_config.hpp.
#include <workloads/common/axes.hpp>
#include <workloads/common/primitives.hpp>
#include <workloads/team/teams.hpp>

namespace {

using namespace finesync::team;
using namespace finesync::workload;
namespace bench = finesync::bench;

run_config run_config_of(const bench::point& point, const catalogue_entry<run_config>&) {
  const auto value = [&](const char* axis) { return static_cast<unsigned>(point[axis]); };
  return {.threads_per_block = value("threads-per-block"),
          .team_size = value("team-size"),
          .crossing = value("crossing") != 0,
          .words = value("words"),
          .rounds = value("rounds")};
}

}  // namespace

int main(int argc, char** argv) {
  bench::program program("team",
                         "Teams of blocks, one block per SM, pass barriers of their own, all teams "
                         "at the same time.");
  bench::axis threads = threads_per_block();
  threads.values = {128};
  program
      .axis({.name = "team-size",
             .help = "blocks of a team; all: one team",
             .values = {16},
             .min = 0,
             .max = 1024,
             .unit = "blocks",
             .names = {"all"}})
      .axis(bench::named_axis("crossing",
                              "whether each block is in two teams, which take turns: a row of "
                              "team-size blocks, and a column of a block of each row",
                              {"no", "yes"}))
      .axis(threads)
      .axis({.name = "words",
             .help = "words that each thread writes before a barrier, and reads of the next member "
                     "after it",
             .values = {0},
             .min = 0,
             .max = 1})
      .axis(rounds("barriers per run that each block passes", 1000));
  add<run_config>(program, all_teams(), run_config_of);
  return program.run(argc, argv);
}
