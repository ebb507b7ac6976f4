// event: blocks hand payloads to other blocks; see run_config.hpp.
#include <workloads/common/member_axes.hpp>
#include <workloads/event/events.hpp>

int main(int argc, char** argv) {
  using namespace finesync::hand_off;
  using namespace finesync::workload;
  namespace bench = finesync::bench;
  bench::program program(
      "event",
      "Blocks hand payloads to other blocks, round after round, one block per SM.\n"
      "From one producer to one consumer and back, the time of an operation is that of one\n"
      "hand-off; else it is that of a round. last_waiter_ns of a row is the time from the last\n"
      "arrival to the last waiter.");
  const member_axes<run_config> axes{
      {number_or_all("producers", "blocks that write a payload and arrive; all: one per SM", 1,
                     1024, "blocks"),
       &run_config::producers},
      {number_or_all("consumers",
                     "blocks that wait for all producers and read; all: one per SM, the producers "
                     "among them",
                     1, 1024, "blocks"),
       &run_config::consumers},
      {number("payload-bytes", "bytes of each producer's payload", 128, {1, 1 << 20}, "bytes"),
       &run_config::payload_bytes},
      {threads_per_block(256), &run_config::threads_per_block},
      {yes_or_no("whole-block",
                 "event words: whether a block's threads wait for each other after "
                 "each wait, or each goes on with its own part"),
       &run_config::whole_block},
      {rounds("rounds per run", 2000), &run_config::rounds}};
  declare(program, axes);
  add<run_config>(program, all_events(), filled_by(axes));
  return program.run(argc, argv);
}
