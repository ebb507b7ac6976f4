// Our version: a block owns the nodes in its queue, so it takes many steps between barriers. It
// needs no flags and no locks (discharge.cuh).
#pragma once

#include <workloads/maxflow/push_relabel/discharge.cuh>
#include <workloads/maxflow/push_relabel/flow_kernel.cuh>

#include <cstdint>

namespace finesync::maxflow {

template <class Ownership = correct_ownership>
struct block_queues {
  static constexpr unsigned room = queue_room;

  __device__ void enlist(std::uint32_t /*node*/, bool /*is_active*/) const {}

  template <class Run>
  __device__ bool work(Run& run, std::uint32_t work, unsigned steps, bool& ran_dry) const {
    return work_in_rounds(run, work, steps, teams_of_block(), ran_dry, [&] {
      run.queue.each_of(run.net, [&](const auto& lanes, const queued_node& own) {
        const auto take = [&](std::uint32_t next, const row& arcs) { run.queue.push(next, arcs); };
        if (discharge<Ownership>(run.net, lanes, own, take)) run.queue.push_again(lanes, own);
      });
    });
  }
};

}  // namespace finesync::maxflow
