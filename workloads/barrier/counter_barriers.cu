#include "overlapped.cuh"

#include <finesync/barriers/autotuned_barrier.cuh>
#include <finesync/barriers/counter_barrier.cuh>
#include <finesync/host/gpu.cuh>

#include <memory>

namespace finesync::barrier {

namespace {

/// The barrier's own plan, but for what the setup holds.
counter_plan adjusted(counter_plan plan, const setup& how) {
  if (how.counters.lines != 0) plan.lines = how.counters.lines;
  if (how.counters.replicas != 0) plan.replicas = how.counters.replicas;
  if (how.counters.first_poll != 0) plan.first_poll = how.counters.first_poll;
  return plan;
}

template <class Payload>
std::unique_ptr<bench::experiment> carrying(const setup& how, const counter_plan& plan) {
  if constexpr (!Payload::needs_fences) {
    if (how.execution_only) {
      if (plan.how != meeting::one_hop)
        throw bench::infeasible("a barrier in two trips needs its fences");
      return overlapped_with<basic_counter_barrier<no_fences, Payload>>(how, plan);
    }
  } else if (how.execution_only) {
    throw bench::infeasible("a minimum needs fences");
  }
  return overlapped_with<basic_counter_barrier<counter_fences, Payload>>(how, plan);
}

std::unique_ptr<bench::experiment> with_plan(const setup& how, const counter_plan& plan) {
  if (!how.overlapped()) return std::make_unique<barrier_experiment<counter_barrier>>(how, plan);
  if (how.payload == carried::nothing) return carrying<no_payload>(how, plan);
  if (plan.how == meeting::sm_groups)
    throw bench::infeasible("only the last block of an SM learns what its SM brings");
  switch (how.payload) {
    case carried::sum:
      return carrying<sum_payload>(how, plan);
    case carried::minimum:
      return carrying<min_payload>(how, plan);
    default:
      return carrying<any_payload>(how, plan);
  }
}

}  // namespace

std::unique_ptr<bench::experiment> make_one_hop(const setup& how) {
  const unsigned blocks = how.blocks_per_sm * static_cast<unsigned>(current_gpu().sms);
  counter_plan own = measured_plan_for(blocks, how.threads_per_block);
  if (own.how != meeting::one_hop) own = {.lines = 8, .replicas = 2, .first_poll = 700};
  return with_plan(how, adjusted(own, how));
}

std::unique_ptr<bench::experiment> make_gather_scatter(const setup& how) {
  const counter_plan own{
      .how = meeting::gather_scatter, .lines = 16, .replicas = 16, .first_poll = 250};
  return with_plan(how, adjusted(own, how));
}

std::unique_ptr<bench::experiment> make_sm_groups(const setup& how) {
  const counter_plan own{.how = meeting::sm_groups, .replicas = 8, .first_poll = 600};
  return with_plan(how, adjusted(own, how));
}

}  // namespace finesync::barrier
