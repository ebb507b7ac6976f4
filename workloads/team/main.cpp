// team: barriers of teams of blocks; see run_config.hpp.
#include <workloads/common/member_axes.hpp>
#include <workloads/team/teams.hpp>

int main(int argc, char** argv) {
  using namespace finesync::team;
  using namespace finesync::workload;
  namespace bench = finesync::bench;
  bench::program program("team",
                         "Teams of blocks, one block per SM, pass barriers of their own, all teams "
                         "at the same time.");
  const member_axes<run_config> axes{
      {number_or_all("team-size", "blocks of a team; all: one team", bench::runs_on_gpu() ? 16 : 2,
                     1024, "blocks"),
       &run_config::team_size},
      {yes_or_no("crossing",
                 "whether each block is in two teams, which take turns: a row of "
                 "team-size blocks, and a column of a block of each row"),
       &run_config::crossing},
      {threads_per_block(128), &run_config::threads_per_block},
      {number(
           "words",
           "words that each thread writes before a barrier, and reads of the next member after it",
           0, {0, 1}),
       &run_config::words},
      {rounds("barriers per run that each block passes", 1000), &run_config::rounds}};
  declare(program, axes);
  add<run_config>(program, all_teams(), filled_by(axes));
  return program.run(argc, argv);
}
