// event: blocks hand payloads to other blocks; see run_config.hpp.
#include <workloads/common/axes.hpp>
#include <workloads/common/primitives.hpp>
#include <workloads/event/events.hpp>

#include <string>

namespace {

using namespace finesync::hand_off;
using namespace finesync::workload;
namespace bench = finesync::bench;

run_config run_config_of(const bench::point& point, const catalogue_entry<run_config>&) {
  const auto value = [&](const char* axis) { return static_cast<unsigned>(point[axis]); };
  return {.producers = value("producers"),
          .consumers = value("consumers"),
          .payload_bytes = value("payload-bytes"),
          .threads_per_block = value("threads-per-block"),
          .rounds = value("rounds"),
          .whole_block = point.value_or("whole-block", 0) != 0};
}

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
  program.axis(blocks("producers", "blocks that write a payload and arrive; all: one per SM"))
      .axis(blocks("consumers",
                   "blocks that wait for all producers and read; all: one per SM, the producers "
                   "among them"))
      .axis({.name = "payload-bytes",
             .help = "bytes of each producer's payload",
             .values = {128},
             .min = 1,
             .max = 1 << 20,
             .unit = "bytes"})
      .axis(threads)
      .axis(bench::named_axis("whole-block",
                              "event words: whether a block's threads wait for each other after "
                              "each wait, or each goes on with its own part",
                              {"no", "yes"}))
      .axis(rounds("rounds per run", 2000));
  add<run_config>(program, all_events(), run_config_of);
  return program.run(argc, argv);
}
