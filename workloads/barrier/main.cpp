// barrier: all blocks of a grid pass a barrier repeatedly; see run_config.hpp.
#include <bench/machine_interface.hpp>
#include <finesync/host/gpu.cuh>
#include <workloads/barrier/barriers.hpp>
#include <workloads/barrier/gpus_barriers.hpp>
#include <workloads/barrier/plan_tables/plan_tables.hpp>
#include <workloads/common/engine/running_engine.hpp>
#include <workloads/common/engines.hpp>
#include <workloads/common/inputs/input_axis.hpp>
#include <workloads/common/member_axes.hpp>

#include <algorithm>
#include <string>
#include <vector>

namespace {

using namespace finesync::barrier;
using namespace finesync::workload;
namespace bench = finesync::bench;

/// What follows from the other members and the machine.
run_config completed(run_config config) {
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
  using counters = decltype(run_config::counters);
  input_axis asked = asked_tables(argc, argv);
  const running_engine engine(asked.words);
  bench::program program(
      "barrier",
      "Grid barriers (thesis, chapters 3.1 and 4): all blocks pass a barrier repeatedly,\n"
      "with or without work in between.",
      engine.machine(bench::real_machine()));
  bench::axis tunable_backoff = backoff();
  tunable_backoff.candidates = {0};
  const std::vector<loaded_plans> tables = load(asked);
  const member_axes<run_config> axes{
      {tbs_per_sm(), &run_config::blocks_per_sm},
      {sms(), &run_config::sms},
      {threads_per_block(), &run_config::threads_per_block},
      {ldst("data that each thread loads, checks and stores between two barriers"),
       &run_config::words_per_thread},
      {named_axis("load",
                  "places and order of the ldst words: lines, as HeteroSync has them (the thesis's "
                  "load); late and early: neighbouring words, each stored after its load has ended "
                  "or while it is in flight",
                  {"lines", "late", "early"}),
       &run_config::order},
      {number_or_auto("rounds",
                      "barriers per run; auto: 1000; 4000 if ldst is 0; 20 on the host executor",
                      1 << 20),
       &run_config::rounds},
      {yes_or_no("local-exchange",
                 "whether the blocks of each SM also exchange data between two barriers"),
       &run_config::local_exchange},
      {tunable_backoff, &run_config::backoff},
      {number_or_auto("cluster-blocks", "blocks per cluster; auto: the most that the GPU supports",
                      16, "", {2, 4, 8, 16}),
       &run_config::cluster_blocks},
      {number_or_auto("counters",
                      "counters that the arrivals are spread over; auto: the primitive's choice",
                      32, "", {1, 2, 4, 8, 16, 32}),
       &run_config::counters, &counters::number},
      {number_or_auto("replicas",
                      "copies of each counter on each side of the L2; auto: the primitive's choice",
                      16, "", {1, 2, 4, 8, 16}),
       &run_config::counters, &counters::replicas},
      {number_or_auto(
           "first-poll",
           "delay from a block's arrival to its first poll; auto: the primitive's choice", 100'000,
           "cycles", {1, 125, 250, 350, 500, 700, 1000, 1500}),
       &run_config::counters, &counters::first_poll},
      {named_axis("plan-table",
                  "plans to choose from: those measured on a GPU, or a file that "
                  "scripts/dev/measure_barrier_plans.py wrote; auto: of the nearest GPU",
                  asked.values),
       [&](run_config& config, std::size_t i) { config.plans = tables[i].table(); }},
      {named_axis("barrier-form",
                  "blocking (work, then barrier), split-phase (arrive, work, wait), overlapped "
                  "(first warp in the barrier, others work)",
                  {"blocking", "split-phase", "overlapped"}),
       &run_config::form},
      {named_axis("reduction", "reduction over all arrivals that the barrier computes",
                  {"none", "sum", "min", "any"}),
       &run_config::reduction},
      {named_axis("ordering", "what the barrier orders: memory and execution, or only execution",
                  {"memory", "execution"}),
       &run_config::execution_only},
      {number("work-cycles", "work per round that may overlap with the barrier", 0, {0, 1'000'000},
              "cycles"),
       &run_config::work_cycles},
      {gpus(), &run_config::gpus},
      {running_engine::axis(), &run_config::engine}};
  declare(program, axes);
  const auto configured = [fill = filled_by(axes)](const auto&... asked_for) {
    return completed(fill(asked_for...));
  };
  add<run_config>(program, all_barriers(), configured);
  add<run_config>(program, all_gpus_barriers(), configured, {}, {}, engine.guard());
  return program.run(asked.words, asked.command_line);
}

}  // namespace

int main(int argc, char** argv) {
  return main_with_engine("barrier", run, argc, argv);
}
