// He and Hong's version: every thread repeatedly visits its own nodes, with or without excess. Each
// node belongs to one thread, so no lock is needed.
#pragma once

#include <workloads/maxflow/push_relabel/flow_kernel.cuh>
#include <workloads/maxflow/push_relabel/step.cuh>

#include <cstdint>

namespace finesync::maxflow {

struct topological {
  static constexpr unsigned room = queue_room;

  __device__ void enlist(std::uint32_t /*node*/, bool /*is_active*/) const {}

  template <class Run>
  __device__ bool work(Run& run, std::uint32_t work, unsigned /*steps*/, bool& ran_dry) const {
    ran_dry = false;
    for (std::uint32_t sweep = 0; sweep < work; ++sweep) {
      for (std::uint32_t u = thread_of_grid(); u < run.net.nodes();
           u += at_once * threads_of_grid())
        step_of_active(run.net, u);
      ++run.rounds;
      // Without it, threads without excess would finish all sweeps before any excess arrives.
      if (!run.participant.wait()) return false;
    }
    return true;
  }

 private:
  /// Nodes that a thread reads in one trip to memory, as few have excess.
  static constexpr unsigned at_once = 8;

  __device__ static void step_of_active(const network_ref& net, std::uint32_t first) {
    std::uint64_t seen[at_once];
    for (unsigned i = 0; i < at_once; ++i) {
      const std::uint32_t u = first + i * threads_of_grid();
      seen[i] = u < net.nodes() ? net.node(u) : 0;
    }
    for (unsigned i = 0; i < at_once; ++i) {
      const std::uint32_t u = first + i * threads_of_grid();
      if (net.is_active(u, seen[i])) step_of(net, u);
    }
  }
};

}  // namespace finesync::maxflow
