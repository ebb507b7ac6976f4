// event: blocks hand payloads to other blocks; see run_config.hpp.
#include <workloads/common/axes.hpp>
#include <workloads/common/member_axes.hpp>
#include <workloads/common/primitives.hpp>
#include <workloads/event/events.hpp>

#include <string>

namespace {

using namespace finesync::hand_off;
using namespace finesync::workload;
namespace bench = finesync::bench;

bench::axis blocks(const std::string& name, const std::string& help) {
  return {.name = name,
          .help = help,
          .values = {1},
          .min = 0,
          .max = 1024,
          .unit = "blocks",
          .names = {"all"}};
}

}  // namespace

int main(int argc, char** argv) {
  bench::program program(
      "event",
      "Blocks hand payloads to other blocks, round after round, one block per SM.\n"
      "From one producer to one consumer and back, the time of an operation is that of one\n"
      "hand-off; else it is that of a round. last_waiter_ns of a row is the time from the last\n"
      "arrival to the last waiter.");
  bench::axis threads = threads_per_block();
  threads.values = {256};
  const member_axes<run_config> axes{
      {blocks("producers", "blocks that write a payload and arrive; all: one per SM"),
       &run_config::producers},
      {blocks("consumers",
              "blocks that wait for all producers and read; all: one per SM, the producers "
              "among them"),
       &run_config::consumers},
      {bench::axis{.name = "payload-bytes",
                   .help = "bytes of each producer's payload",
                   .values = {128},
                   .min = 1,
                   .max = 1 << 20,
                   .unit = "bytes"},
       &run_config::payload_bytes},
      {threads, &run_config::threads_per_block},
      {bench::named_axis("whole-block",
                         "event words: whether a block's threads wait for each other after "
                         "each wait, or each goes on with its own part",
                         {"no", "yes"}),
       &run_config::whole_block},
      {rounds("rounds per run", 2000), &run_config::rounds}};
  declare(program, axes);
  add<run_config>(program, all_events(), filled_by(axes));
  return program.run(argc, argv);
}
