// queue: blocks push and pop items at one queue; see run_config.hpp.
#include <workloads/common/member_axes.hpp>
#include <workloads/queue/queues.hpp>

int main(int argc, char** argv) {
  using namespace finesync::queue;
  using namespace finesync::workload;
  namespace bench = finesync::bench;
  bench::program program("queue",
                         "One bounded queue in global memory: blocks push items, and blocks pop "
                         "them.");
  const member_axes<run_config> axes{
      {named_axis("traffic",
                  "who pushes and who pops: half of the blocks each, all but one to one "
                  "(fan-in), one to all others (fan-out), all both, one block to another "
                  "(pair); or one item there and back, the place taken when the item is "
                  "there (ping) or ahead of it",
                  {"halves", "fan-in", "fan-out", "both", "pair", "ping", "ping-ahead"},
                  static_cast<long long>(traffic::both)),
       &run_config::roles},
      {tbs_per_sm(), &run_config::blocks_per_sm},
      {threads_per_block(256), &run_config::threads_per_block},
      {named_axis("tickets", "for whom one atomic addition takes places", {"warp", "block"}),
       &run_config::by_block},
      {number("items", "items per thread and ticket: 1 or 4", 1, {1, 4}, "items"),
       &run_config::items},
      {number("item-bytes", "size of an item: 4, 8 or 16", 8, {4, 16}, "bytes"),
       &run_config::item_bytes},
      {number_or_auto(
           "capacity",
           "slots, a power of two; auto: twice the items, rounded up, that can be on their way",
           1 << 26, "items"),
       &run_config::capacity},
      {rounds("tickets per thread that pushes; with ping, items there and back", 64),
       &run_config::rounds}};
  declare(program, axes);
  add<run_config>(program, all_queues(), filled_by(axes));
  return program.run(argc, argv);
}
