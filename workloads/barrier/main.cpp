// barrier: all blocks of a grid meet again and again, see setup.hpp.
#include <finesync/device/gpu.cuh>
#include <workloads/barrier/barriers.hpp>
#include <workloads/common/axes.hpp>
#include <workloads/common/contenders.hpp>

namespace finesync::barrier {

namespace {

setup setup_of(const bench::point& at, const workload::contender<setup>&) {
  const auto value = [&](const char* axis) { return static_cast<unsigned>(at[axis]); };
  setup how{.threads_per_block = value("threads-per-block"),
            .blocks_per_sm = value("tbs-per-sm"),
            .rounds = value("rounds"),
            .words_per_thread = value("ldst"),
            .local_exchange = value("local-exchange") != 0,
            .backoff = value("backoff") != 0,
            .cluster_blocks = value("cluster"),
            .counters = {.lines = value("lines"),
                         .replicas = value("replicas"),
                         .first_poll = value("first-poll")}};
  const bool simulated = current_gpu().simulated;
  // The executor needs no repetition to be exact, and no mass of stores to reorder them.
  if (simulated) how.litmus = {.rounds = 10, .stores = 2};
  // Barrier upon barrier takes microseconds: enough of them that the launch does not count.
  if (how.rounds == 0) how.rounds = simulated ? 20 : how.words_per_thread == 0 ? 4000 : 1000;
  return how;
}

}  // namespace

}  // namespace finesync::barrier

int main(int argc, char** argv) {
  using namespace finesync::workload;
  using namespace finesync::barrier;
  finesync::bench::program program("barrier",
                                   "Grid barriers (thesis, chapters 3.1 and 4): all blocks meet "
                                   "again and again, with or\n"
                                   "without work in between.");
  program.axis(tbs_per_sm())
      .axis(threads_per_block())
      .axis(ldst("what a thread loads, checks and stores between two barriers"))
      .axis({.name = "rounds",
             .help = "barriers per run; 0 for 1000, 4000 with nothing in between, 20 on the host "
                     "executor",
             .values = {0},
             .min = 0,
             .max = 1 << 20})
      .axis({.name = "local-exchange",
             .help = "1: the blocks of each SM exchange data once more between two barriers",
             .values = {0},
             .min = 0,
             .max = 1})
      .axis({.name = "backoff",
             .help = "atomic_tree and sense_reversing between polls: 1 back off, 0 poll again",
             .values = {1},
             .min = 0,
             .max = 1,
             .candidates = {0}})
      .axis({.name = "cluster",
             .help = "blocks per cluster (primitive cluster); 0 for the most that the GPU takes",
             .values = {0},
             .min = 0,
             .max = 16,
             .candidates = {2, 4, 8, 16}})
      .axis({.name = "lines",
             .help = "counters that arrivals are spread over; 0 for the primitive's own choice",
             .values = {0},
             .min = 0,
             .max = 32,
             .candidates = {1, 2, 4, 8, 16, 32}})
      .axis({.name = "replicas",
             .help = "copies of each counter on each side of the L2; 0 for own choice",
             .values = {0},
             .min = 0,
             .max = 16,
             .candidates = {1, 2, 4, 8, 16}})
      .axis({.name = "first-poll",
             .help = "cycles from a block's arrival to its first poll; 0 for own choice",
             .values = {0},
             .min = 0,
             .max = 100'000,
             .unit = "cycles",
             .candidates = {1, 125, 250, 350, 500, 700, 1000, 1500}});
  add<setup>(program, all_barriers, setup_of);
  return program.run(argc, argv);
}
