// taskgraph: blocks run the tasks of a graph; see run_config.hpp.
#include <bench/kernel_timer.hpp>
#include <workloads/common/member_axes.hpp>
#include <workloads/taskgraph/schedules.hpp>

int main(int argc, char** argv) {
  using namespace finesync::taskgraph;
  using namespace finesync::workload;
  namespace bench = finesync::bench;
  constexpr graph_shape usual;
  bench::program program(
      "taskgraph",
      "Blocks run the tasks of a random graph in layers. A task waits for at most one event, "
      "reads\n"
      "the outputs of all tasks that arrive at it, and arrives at at most one itself. The time of\n"
      "an operation is that of one replay of the graph.");
  const member_axes<run_config> axes{
      {number("layers", "layers of the graph", bench::runs_on_gpu() ? usual.layers : 4, {1, 4096},
              "layers"),
       &run_config::graph, &graph_shape::layers},
      {number("tasks-per-layer", "tasks of a layer", usual.tasks_per_layer, {1, 4096}, "tasks"),
       &run_config::graph, &graph_shape::tasks_per_layer},
      {number("events-per-layer", "events that wait for tasks of a layer, but for the last one",
              usual.events_per_layer, {1, 4096}, "events"),
       &run_config::graph, &graph_shape::events_per_layer},
      {number("most-inputs", "an event waits for 1 to this many tasks", usual.most_inputs,
              {1, 1024}, "tasks"),
       &run_config::graph, &graph_shape::most_inputs},
      {number("graph-seed", "of the random graph", usual.seed, {0, 1 << 30}), &run_config::graph,
       &graph_shape::seed},
      {number("payload-bytes", "bytes of a task's output; 0: one access", 0, {0, 4096}, "bytes"),
       &run_config::payload_bytes},
      {number("task-us", "work of a task, about, in the mean", 0, {0, 1000}, "us"),
       [](run_config& config, unsigned us) { config.task_ns = 1000 * us; }},
      {named_axis("lengths", "of tasks: equal, or from a fifth to nine fifths of the mean",
                  {"equal", "uneven"}),
       &run_config::graph, &graph_shape::uneven},
      {tbs_per_sm(), &run_config::blocks_per_sm},
      {threads_per_block(128, "threads per block, whole warps", most_threads_per_block),
       &run_config::threads_per_block},
      {rounds("replays per run", bench::runs_on_gpu() ? 10 : 1, 1000), &run_config::rounds}};
  declare(program, axes);
  add<run_config>(program, all_schedules(), filled_by(axes));
  return program.run(argc, argv);
}
