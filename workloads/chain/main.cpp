// chain: sums passed from thread to thread of a block; see run_config.hpp.
#include <workloads/chain/channels.hpp>
#include <workloads/common/axes.hpp>
#include <workloads/common/primitives.hpp>

namespace {

using namespace finesync::chain;
using namespace finesync::workload;
namespace bench = finesync::bench;

run_config run_config_of(const bench::point& point, const catalogue_entry<run_config>&) {
  const auto value = [&](const char* axis) { return static_cast<unsigned>(point[axis]); };
  return {.warps = value("warps"), .distance = value("distance"), .rounds = value("rounds")};
}

}  // namespace

int main(int argc, char** argv) {
  bench::program program(
      "chain",
      "Threads of one block pass sums on, one after the other (ICS'15, Listing 10).\n"
      "chain_cycles_p50 of a row is the time of the whole chain, in SM cycles.");
  program
      .axis({.name = "warps",
             .help = "warps in the block",
             .values = {16},
             .min = 1,
             .max = 32,
             .unit = "warps"})
      .axis({.name = "distance",
             .help = "distance from a thread to the thread that receives its sum; below 32: also "
                     "within warps",
             .values = {32},
             .min = 1,
             .max = 1024,
             .unit = "threads"})
      .axis(rounds("chains per run, one after the other", 200, max_rounds));
  add<run_config>(program, all_channels(), run_config_of);
  return program.run(argc, argv);
}
