// team: barriers of teams of blocks; see run_config.hpp.
#include <workloads/common/axes.hpp>
#include <workloads/common/member_axes.hpp>
#include <workloads/common/primitives.hpp>
#include <workloads/team/teams.hpp>

namespace {

using namespace finesync::team;
using namespace finesync::workload;
namespace bench = finesync::bench;

}  // namespace

int main(int argc, char** argv) {
  bench::program program("team",
                         "Teams of blocks, one block per SM, pass barriers of their own, all teams "
                         "at the same time.");
  bench::axis threads = threads_per_block();
  threads.values = {128};
  const member_axes<run_config> axes{
      {bench::axis{.name = "team-size",
                   .help = "blocks of a team; all: one team",
                   .values = {16},
                   .min = 0,
                   .max = 1024,
                   .unit = "blocks",
                   .names = {"all"}},
       &run_config::team_size},
      {bench::named_axis("crossing",
                         "whether each block is in two teams, which take turns: a row of "
                         "team-size blocks, and a column of a block of each row",
                         {"no", "yes"}),
       &run_config::crossing},
      {threads, &run_config::threads_per_block},
      {bench::axis{
           .name = "words",
           .help = "words that each thread writes before a barrier, and reads of the next member "
                   "after it",
           .values = {0},
           .min = 0,
           .max = 1},
       &run_config::words},
      {rounds("barriers per run that each block passes", 1000), &run_config::rounds}};
  declare(program, axes);
  add<run_config>(program, all_teams(), filled_by(axes));
  return program.run(argc, argv);
}
