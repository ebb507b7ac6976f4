#include "overlapped.cuh"

#include <finesync/barriers/autotuned_barrier.cuh>
#include <finesync/barriers/counter_barrier.cuh>
#include <finesync/barriers/one_topology.cuh>
#include <finesync/host/gpu.cuh>
#include <workloads/common/grid.cuh>

#include <memory>

namespace finesync::barrier {

namespace {

/// The barrier's own plan, with the parameters that the configuration sets.
counter_plan adjusted(counter_plan plan, const run_config& config) {
  if (config.counters.number != 0) plan.counters = config.counters.number;
  if (config.counters.replicas != 0) plan.replicas = config.counters.replicas;
  if (config.counters.first_poll != 0) plan.first_poll = config.counters.first_poll;
  return plan;
}

template <class Reduction>
std::unique_ptr<bench::experiment> with_reduction(const run_config& config,
                                                  const counter_plan& plan) {
  if constexpr (!Reduction::needs_fences) {
    if (config.execution_only) {
      if (plan.how != counter_topology::flat_counters)
        throw bench::infeasible("a barrier in two trips needs fences: use --ordering memory");
      return overlapped_with<basic_counter_barrier<no_fences, Reduction>>(config, plan);
    }
  } else if (config.execution_only) {
    throw bench::infeasible("a minimum needs fences: use --ordering memory");
  }
  return overlapped_with<basic_counter_barrier<counter_fences, Reduction>>(config, plan);
}

std::unique_ptr<bench::experiment> with_plan(const run_config& config, const counter_plan& plan) {
  if (!config.overlapped())
    return std::make_unique<barrier_experiment<counter_barrier>>(config, plan);
  if (config.reduction == reduction_kind::nothing)
    return with_reduction<no_reduction>(config, plan);
  if (plan.how == counter_topology::sm_counters)
    throw bench::infeasible(
        "no reduction: only the last block of an SM knows the contribution of its SM");
  switch (config.reduction) {
    case reduction_kind::sum:
      return with_reduction<sum_reduction>(config, plan);
    case reduction_kind::minimum:
      return with_reduction<min_reduction>(config, plan);
    default:
      return with_reduction<any_reduction>(config, plan);
  }
}

}  // namespace

std::unique_ptr<bench::experiment> make_flat_counters(const run_config& config) {
  const launch_shape shape{.blocks = config.blocks_per_sm * workload::sms_of_grid(config),
                           .threads_per_block = config.threads_per_block};
  return with_plan(config, adjusted(flat_counters_plan(shape, current_gpu()), config));
}

std::unique_ptr<bench::experiment> make_gather_broadcast(const run_config& config) {
  return with_plan(config, adjusted(gather_broadcast_plan, config));
}

std::unique_ptr<bench::experiment> make_sm_counters(const run_config& config) {
  return with_plan(config, adjusted(sm_counters_plan, config));
}

std::unique_ptr<bench::experiment> make_autotuned(const run_config& config) {
  if (config.reduction != reduction_kind::nothing || config.execution_only)
    throw bench::infeasible("this barrier has no reduction and always orders memory");
  const plan_table plans = config.plans.plans.empty() ? plans_for(current_gpu()) : config.plans;
  if (config.overlapped()) return overlapped_with<autotuned_barrier>(config, plans);
  return std::make_unique<barrier_experiment<autotuned_barrier>>(config, plans);
}

}  // namespace finesync::barrier
