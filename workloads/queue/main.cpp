// queue: blocks push and pop items at one queue; see run_config.hpp.
#include <workloads/common/axes.hpp>
#include <workloads/common/primitives.hpp>
#include <workloads/queue/queues.hpp>

namespace {

using namespace finesync::queue;
using namespace finesync::workload;
namespace bench = finesync::bench;

run_config run_config_of(const bench::point& point, const catalogue_entry<run_config>&) {
  const auto value = [&](const char* axis) { return static_cast<unsigned>(point[axis]); };
  return {.roles = static_cast<traffic>(point["traffic"]),
          .blocks_per_sm = value("tbs-per-sm"),
          .threads_per_block = value("threads-per-block"),
          .by_block = value("tickets") != 0,
          .items = value("items"),
          .item_bytes = value("item-bytes"),
          .capacity = static_cast<std::size_t>(point["capacity"]),
          .rounds = value("rounds")};
}

bench::axis threads() {
  bench::axis which = threads_per_block();
  which.values = {256};
  return which;
}

}  // namespace

int main(int argc, char** argv) {
  using bench::named_axis;
  bench::program program("queue",
                         "One bounded queue in global memory: blocks push items, and blocks pop "
                         "them.");
  program
      .axis(named_axis("traffic",
                       "who pushes and who pops: half of the blocks each, all but one to one "
                       "(fan-in), one to all others (fan-out), all both, one block to another "
                       "(pair); or one item there and back, the place taken when the item is "
                       "there (ping) or ahead of it",
                       {"halves", "fan-in", "fan-out", "both", "pair", "ping", "ping-ahead"},
                       static_cast<long long>(traffic::both)))
      .axis(tbs_per_sm())
      .axis(threads())
      .axis(named_axis("tickets", "for whom one atomic addition takes places", {"warp", "block"}))
      .axis({.name = "items",
             .help = "items per thread and ticket: 1 or 4",
             .values = {1},
             .min = 1,
             .max = 4,
             .unit = "items"})
      .axis({.name = "item-bytes",
             .help = "size of an item: 4, 8 or 16",
             .values = {8},
             .min = 4,
             .max = 16,
             .unit = "bytes"})
      .axis(left_open({.name = "capacity",
                       .help = "slots, a power of two; auto: twice the items, rounded up, that "
                               "can be on their way",
                       .max = 1 << 26,
                       .unit = "items"}))
      .axis(rounds("tickets per thread that pushes; with ping, items there and back", 64));
  add<run_config>(program, all_queues(), run_config_of);
  return program.run(argc, argv);
}
