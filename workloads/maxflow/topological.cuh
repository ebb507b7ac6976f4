// He and Hong's version: every thread goes over its own nodes again and again, whether they have
// excess or not. A node is its thread's alone, so no lock is needed.
#pragma once

#include "flow_kernel.cuh"
#include "step.cuh"

#include <cstdint>

namespace finesync::maxflow {

struct topological {
  static constexpr unsigned room = queue_room;

  __device__ void enlist(std::uint32_t /*node*/, bool /*is_active*/) const {}

  template <class Run>
  __device__ bool work(Run& run, std::uint32_t work, unsigned /*steps*/, bool& ran_dry) const {
    ran_dry = false;
    for (std::uint32_t sweep = 0; sweep < work; ++sweep) {
      for (std::uint32_t u = thread_of_grid(); u < run.net.nodes(); u += threads_of_grid())
        step_of(run.net, u);
    }
    ++run.rounds;
    return run.meeting.wait();
  }
};

}  // namespace finesync::maxflow
