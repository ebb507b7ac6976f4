// The plan of a barrier of counters, for the rows of results.
#pragma once

#include <bench/experiment.hpp>
#include <finesync/barriers/counter_plan.cuh>
#include <workloads/barrier/plan_tables/plan_tables.hpp>
#include <workloads/common/effective_parameters.hpp>

#include <cstddef>
#include <string>

namespace finesync::barrier {

/// Adds how blocks detect or learn of the last arrival.
inline void add_plan(bench::parameters& effective, const counter_plan& plan) {
  effective["topology"] = std::string(topology_names[static_cast<std::size_t>(plan.how)]);
  workload::add_parameter(effective, "counters", plan.counters);
  workload::add_parameter(effective, "replicas", plan.replicas);
  workload::add_parameter(effective, "l2_sides", plan.sides);
  workload::add_parameter(effective, "first_poll_cycles", plan.first_poll);
}

}  // namespace finesync::barrier
