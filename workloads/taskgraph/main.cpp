// taskgraph: blocks run the tasks of a graph; see run_config.hpp.
#include <workloads/common/axes.hpp>
#include <workloads/common/primitives.hpp>
#include <workloads/taskgraph/schedules.hpp>

#include <string>

namespace {

using namespace finesync::taskgraph;
using namespace finesync::workload;
namespace bench = finesync::bench;

run_config run_config_of(const bench::point& point, const catalogue_entry<run_config>&) {
  const auto value = [&](const char* axis) { return static_cast<unsigned>(point[axis]); };
  return {.graph = {.layers = value("layers"),
                    .tasks_per_layer = value("tasks-per-layer"),
                    .events_per_layer = value("events-per-layer"),
                    .most_inputs = value("most-inputs"),
                    .uneven = value("lengths") != 0,
                    .seed = value("graph-seed")},
          .payload_bytes = value("payload-bytes"),
          .task_ns = 1000 * value("task-us"),
          .threads_per_block = value("threads-per-block"),
          .blocks_per_sm = value("tbs-per-sm"),
          .rounds = value("rounds")};
}

bench::axis number(const std::string& name, const std::string& help, long long usual, long long min,
                   long long max, const std::string& unit) {
  return {.name = name, .help = help, .values = {usual}, .min = min, .max = max, .unit = unit};
}

}  // namespace

int main(int argc, char** argv) {
  constexpr graph_shape usual;
  bench::program program(
      "taskgraph",
      "Blocks run the tasks of a random graph in layers. A task waits for at most one event, "
      "reads\n"
      "the outputs of all tasks that arrive at it, and arrives at at most one itself. The time of\n"
      "an operation is that of one replay of the graph.");
  bench::axis threads =
      threads_per_block("threads per block, whole warps", {}, most_threads_per_block);
  threads.values = {128};
  program.axis(number("layers", "layers of the graph", usual.layers, 1, 4096, "layers"))
      .axis(number("tasks-per-layer", "tasks of a layer", usual.tasks_per_layer, 1, 4096, "tasks"))
      .axis(number("events-per-layer",
                   "events that wait for tasks of a layer, but for the last one",
                   usual.events_per_layer, 1, 4096, "events"))
      .axis(number("most-inputs", "an event waits for 1 to so many tasks", usual.most_inputs, 1,
                   1024, "tasks"))
      .axis(number("graph-seed", "of the random graph", usual.seed, 0, 1 << 30, ""))
      .axis(number("payload-bytes", "bytes of a task's output; 0: one access", 0, 0, 4096, "bytes"))
      .axis(number("task-us", "work of a task, about, in the mean", 0, 0, 1000, "us"))
      .axis(bench::named_axis("lengths",
                              "of tasks: equal, or from a fifth to nine fifths of the mean",
                              {"equal", "uneven"}))
      .axis(tbs_per_sm())
      .axis(threads)
      .axis(rounds("replays per run", 10, 1000));
  add<run_config>(program, all_schedules(), run_config_of);
  return program.run(argc, argv);
}
