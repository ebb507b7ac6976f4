#include "copies/merging_services.cuh"
#include "insert_experiment.cuh"

#include <finesync/device/numbering.cuh>
#include <workloads/common/grid.cuh>

#include <memory>

namespace finesync::ht {

namespace {

// Possible only because these sections are a single exchange or addition. It is the usual
// hand-written code, and a bound for every lock.
template <class Service>
__global__ void __maxnreg__(32) insert_lockfree(problem what, Service service) {
  assume_one_dimension();
  for (std::uint32_t i = blockIdx.x * blockDim.x + threadIdx.x; i < what.inserts;
       i += gridDim.x * blockDim.x)
    service.run(entry_of(what, i), i);
}

class lockfree_experiment final : public insert_experiment {
 public:
  explicit lockfree_experiment(const run_config& config)
      : insert_experiment(config,
                          workload::resident_of_all({.threads_per_block = config.threads_per_block},
                                                    insert_lockfree<merging_pushes>,
                                                    insert_lockfree<merging_counts>)) {}

  /// There is no lock to measure.
  bench::counters measure() override { return {}; }

 private:
  void start_pushes() override { start(merging_pushes{lists(), nullptr, config().section_work}); }
  void start_counts() override { start(merging_counts{entry_counters(), config().section_work}); }

  template <class Service>
  void start(const Service& service) {
    launch_cooperative(insert_lockfree<Service>, shape(), config().problem, service);
  }
};

}  // namespace

std::unique_ptr<bench::experiment> make_lockfree(const run_config& config) {
  if (config.section == section_kind::empty)
    throw bench::infeasible("lockfree has no section to leave empty: it is one operation");
  return std::make_unique<lockfree_experiment>(config);
}

}  // namespace finesync::ht
