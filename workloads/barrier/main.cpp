// barrier: all blocks of a grid pass a barrier repeatedly; see run_config.hpp.
#include <bench/machine_interface.hpp>
#include <finesync/host/gpu.cuh>
#include <workloads/barrier/barriers.hpp>
#include <workloads/barrier/gpus_barriers.hpp>
#include <workloads/barrier/plan_tables/plan_tables.hpp>
#include <workloads/common/axes.hpp>
#include <workloads/common/engine/running_engine.hpp>
#include <workloads/common/engines.hpp>
#include <workloads/common/inputs/input_axis.hpp>
#include <workloads/common/primitives.hpp>

#include <algorithm>
#include <functional>
#include <string>
#include <vector>

namespace {

using namespace finesync::barrier;
using namespace finesync::workload;
namespace bench = finesync::bench;

run_config run_config_of(const std::vector<loaded_plans>& tables, const bench::point& point,
                         const catalogue_entry<run_config>& /*primitive*/) {
  const auto value = [&](const char* axis) { return static_cast<unsigned>(point[axis]); };
  const auto own = [&](const char* axis) { return static_cast<unsigned>(point.value_or(axis, 0)); };
  run_config config{.threads_per_block = value("threads-per-block"),
                    .blocks_per_sm = value("tbs-per-sm"),
                    .sms = value("sms"),
                    .rounds = value("rounds"),
                    .words_per_thread = value("ldst"),
                    .local_exchange = value("local-exchange") != 0,
                    .backoff = backs_off(point),
                    .cluster_blocks = own("cluster-blocks"),
                    .counters = {.number = own("counters"),
                                 .replicas = own("replicas"),
                                 .first_poll = own("first-poll")},
                    .plans = tables[own("plan-table")].table(),
                    .form = static_cast<barrier_form>(own("barrier-form")),
                    .reduction = static_cast<reduction_kind>(own("reduction")),
                    .execution_only = own("ordering") != 0,
                    .work_cycles = own("work-cycles"),
                    .gpus = std::max(own("gpus"), 1u),
                    .engine = static_cast<engine_kind>(own("engine"))};
  const bool simulated = finesync::current_gpu().simulated;
  // The executor is exact without repetitions, and reorders a few stores as well as many.
  if (simulated) config.litmus = {.rounds = 10, .stores = 2};
  // A barrier takes microseconds: enough of them to make the launch time negligible.
  if (config.rounds == 0)
    config.rounds = simulated ? 20 : config.words_per_thread == 0 ? 4000 : 1000;
  return config;
}

input_axis asked_tables(int argc, char** argv) {
  const std::vector<std::string> known = known_plan_tables();
  const auto is_known = [known](const std::string& word) {
    return std::ranges::count(known, word) != 0;
  };
  return make_input_axis(argc, argv, known, one_each(is_known), "--plan-table");
}

std::vector<loaded_plans> load(const input_axis& asked) {
  std::vector<loaded_plans> tables;
  for (std::size_t i = 0; i < asked.values.size(); ++i)
    tables.emplace_back(asked.values[i], asked.inputs[i]);
  return tables;
}

int run(int argc, char** argv) {
  using bench::named_axis;
  input_axis asked = asked_tables(argc, argv);
  const running_engine engine(asked.words);
  bench::program program(
      "barrier",
      "Grid barriers (thesis, chapters 3.1 and 4): all blocks pass a barrier repeatedly,\n"
      "with or without work in between.",
      engine.machine(bench::real_machine()));
  bench::axis tunable_backoff = backoff();
  tunable_backoff.candidates = {0};
  program.axis(tbs_per_sm())
      .axis(sms())
      .axis(threads_per_block())
      .axis(ldst("data that each thread loads, checks and stores between two barriers"))
      .axis(left_open(
          {.name = "rounds",
           .help = "barriers per run; auto: 1000; 4000 if ldst is 0; 20 on the host executor",
           .max = 1 << 20}))
      .axis(named_axis("local-exchange",
                       "whether the blocks of each SM also exchange data between two barriers",
                       {"no", "yes"}))
      .axis(tunable_backoff)
      .axis(left_open({.name = "cluster-blocks",
                       .help = "blocks per cluster; auto: the most that the GPU supports",
                       .max = 16,
                       .candidates = {2, 4, 8, 16}}))
      .axis(left_open(
          {.name = "counters",
           .help = "counters that the arrivals are spread over; auto: the primitive's choice",
           .max = 32,
           .candidates = {1, 2, 4, 8, 16, 32}}))
      .axis(left_open(
          {.name = "replicas",
           .help = "copies of each counter on each side of the L2; auto: the primitive's choice",
           .max = 16,
           .candidates = {1, 2, 4, 8, 16}}))
      .axis(left_open(
          {.name = "first-poll",
           .help = "delay from a block's arrival to its first poll; auto: the primitive's choice",
           .max = 100'000,
           .unit = "cycles",
           .candidates = {1, 125, 250, 350, 500, 700, 1000, 1500}}))
      .axis(named_axis("plan-table",
                       "plans to choose from: those measured on a GPU, or a file that "
                       "scripts/measure_barrier_plans.py wrote; auto: of the nearest GPU",
                       asked.values))
      .axis(named_axis(
          "barrier-form",
          "blocking (work, then barrier), split-phase (arrive, work, wait), overlapped (first "
          "warp in the barrier, others work)",
          {"blocking", "split-phase", "overlapped"}))
      .axis(named_axis("reduction", "reduction over all arrivals that the barrier computes",
                       {"none", "sum", "min", "any"}))
      .axis(named_axis("ordering",
                       "what the barrier orders: memory and execution, or only execution",
                       {"memory", "execution"}))
      .axis({.name = "work-cycles",
             .help = "work per round that may overlap with the barrier",
             .values = {0},
             .min = 0,
             .max = 1'000'000,
             .unit = "cycles"})
      .axis(gpus())
      .axis(running_engine::axis());
  const std::vector<loaded_plans> tables = load(asked);
  const auto configured = std::bind_front(run_config_of, std::cref(tables));
  add<run_config>(program, all_barriers(), configured);
  add<run_config>(program, all_gpus_barriers(), configured, {}, {}, engine.guard());
  return program.run(asked.words, asked.command_line);
}

}  // namespace

int main(int argc, char** argv) {
  return main_with_engine("barrier", run, argc, argv);
}
