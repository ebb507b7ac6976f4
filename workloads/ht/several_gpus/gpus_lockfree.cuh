// What one would write without servers and locks, as the section is one atomic operation: every
// thread runs it itself, on whatever GPU the entry is.
#pragma once

#include "gpus_inserts.cuh"

#include <finesync/device/atomic_ref.cuh>
#include <finesync/device/numbering.cuh>
#include <finesync/device/ptx/system_word.cuh>
#include <finesync/host/launch.cuh>
#include <finesync/server/partition/fixed_divisor.cuh>
#include <finesync/several_gpus/symmetric_view.cuh>
#include <workloads/common/grid.cuh>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <tuple>
#include <utility>

namespace finesync::ht {

/// Pushes a node by an exchange. The thread waits for the result.
template <scope Scope>
struct exchange_of_head {
  symmetric_view heads;
  symmetric_view nexts;

  __device__ void operator()(unsigned gpu, std::uint32_t entry, std::uint32_t node) const {
    const atomic_ref<std::uint32_t, Scope> head(
        heads.at<std::uint32_t>(gpu, std::size_t{entry} * sizeof(std::uint32_t)));
    nexts.at<std::uint32_t>(gpu, std::size_t{node} * sizeof(std::uint32_t)) =
        head.exchange(node, memory_order::relaxed);
  }
};

/// Counts by an addition. No thread waits for it.
template <scope Scope>
struct addition_to_counter {
  symmetric_view counters;

  __device__ void operator()(unsigned gpu, std::uint32_t entry, std::uint32_t /*node*/) const {
    increase_word<Scope>(
        counters.at<std::uint32_t>(gpu, std::size_t{entry} * sizeof(std::uint32_t)), 1);
  }
};

/// Entries are on the GPUs in turn, so all but one in n operations cross the link of n GPUs. 32
/// registers let an SM hold its maximum of threads.
template <class Operation>
__global__ void __maxnreg__(32) insert_on_gpus(problem what, unsigned me, fixed_divisor gpus,
                                               Operation operation, std::uint32_t section_work) {
  assume_one_dimension();
  const std::uint32_t threads = gridDim.x * blockDim.x;
  for (std::uint32_t i = me * threads + blockIdx.x * blockDim.x + threadIdx.x; i < what.inserts;
       i += gpus.divisor() * threads) {
    const std::uint32_t entry = entry_of(what, i);
    operation(entry - gpus.quotient(entry) * gpus.divisor(), entry, i);
    spend_arithmetic(section_work);
  }
}

/// \tparam Across the scope of operations between GPUs; those of one GPU have device scope.
template <scope Across = scope::system>
class gpus_lockfree_experiment final : public gpus_inserts {
 public:
  explicit gpus_lockfree_experiment(const run_config& options)
      : gpus_lockfree_experiment(options, peers::in_turns(options.gpus)) {}

 private:
  gpus_lockfree_experiment(const run_config& options, peers all)
      : gpus_lockfree_experiment(options, all.grids_beside(0), std::move(all)) {}
  gpus_lockfree_experiment(const run_config& options, unsigned grids, peers&& all)
      : gpus_inserts(options, std::move(all), shape_of_each(options, grids)) {}

  void start_pushes() override {
    if (all().size() == 1)
      start<exchange_of_head<scope::device>>(heads(), nexts());
    else
      start<exchange_of_head<Across>>(heads(), nexts());
  }
  void start_counts() override {
    if (all().size() == 1)
      start<addition_to_counter<scope::device>>(counters_of_all());
    else
      start<addition_to_counter<Across>>(counters_of_all());
  }

  template <class Operation, class... Views>
  void start(const Views&... on_all) {
    timed([&] {
      launch_together(all(), insert_on_gpus<Operation>, shape(), [&](unsigned me) {
        return std::tuple(config().problem, me, fixed_divisor(all().size()), Operation{on_all...},
                          config().section_work);
      });
    });
  }

  // GPUs that share a device share its blocks per SM.
  static launch_shape shape_of_each(const run_config& options, unsigned grids) {
    const unsigned resident = workload::resident_of_all(
        {.threads_per_block = options.threads_per_block},
        insert_on_gpus<exchange_of_head<scope::device>>, insert_on_gpus<exchange_of_head<Across>>,
        insert_on_gpus<addition_to_counter<scope::device>>,
        insert_on_gpus<addition_to_counter<Across>>);
    launch_shape shape = workload::grid_of(options, resident);
    shape.blocks = std::max(1u, shape.blocks / grids);
    return shape;
  }
};

}  // namespace finesync::ht
