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
#include <workloads/common/engine/peers_of.hpp>
#include <workloads/common/gpus_launch.cuh>
#include <workloads/common/grid.cuh>

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
      : gpus_lockfree_experiment(options, workload::peers_of(options.engine, options.gpus)) {}

 private:
  gpus_lockfree_experiment(const run_config& options, peers all)
      : gpus_lockfree_experiment(options, workload::grid_of_each(options, all, resident(options)),
                                 std::move(all)) {}
  gpus_lockfree_experiment(const run_config& options, const launch_shape& shape, peers&& all)
      : gpus_inserts(options, std::move(all), shape) {}

  void start_pushes() override {
    if (all().size() == 1)
      start([this](unsigned me) { return exchange_of_head<scope::device>{heads(me), nexts(me)}; });
    else
      start([this](unsigned me) { return exchange_of_head<Across>{heads(me), nexts(me)}; });
  }
  void start_counts() override {
    if (all().size() == 1)
      start(
          [this](unsigned me) { return addition_to_counter<scope::device>{counters_of_all(me)}; });
    else
      start([this](unsigned me) { return addition_to_counter<Across>{counters_of_all(me)}; });
  }

  template <class OperationOf>
  void start(const OperationOf& operation_of) {
    timed([&] {
      launch_together(all(), insert_on_gpus<decltype(operation_of(0u))>, shape(), [&](unsigned me) {
        return std::tuple(config().problem, me, fixed_divisor(all().size()), operation_of(me),
                          config().section_work);
      });
    });
  }

  static unsigned resident(const run_config& options) {
    return workload::resident_of_all({.threads_per_block = options.threads_per_block},
                                     insert_on_gpus<exchange_of_head<scope::device>>,
                                     insert_on_gpus<exchange_of_head<Across>>,
                                     insert_on_gpus<addition_to_counter<scope::device>>,
                                     insert_on_gpus<addition_to_counter<Across>>);
  }
};

}  // namespace finesync::ht
