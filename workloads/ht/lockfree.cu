#include "insert_experiment.cuh"

#include <finesync/device/atomic_ref.cuh>
#include <finesync/device/numbering.cuh>

#include <memory>

namespace finesync::ht {

namespace {

// Possible only because this section is a single exchange. It is the usual hand-written code, and a
// bound for every lock.
__global__ void __maxnreg__(32) insert_lockfree(table_ref table, std::uint32_t section_work) {
  assume_one_dimension();
  for (std::uint32_t i = blockIdx.x * blockDim.x + threadIdx.x; i < table.what.inserts;
       i += gridDim.x * blockDim.x) {
    const atomic_ref<std::uint32_t, scope::device> head(table.head[entry_of(table.what, i)]);
    table.next[i] = head.exchange(i, memory_order::relaxed);
    spend_arithmetic(section_work);
  }
}

class lockfree_experiment final : public insert_experiment {
 public:
  explicit lockfree_experiment(const run_config& config)
      : insert_experiment(config, max_resident_blocks(insert_lockfree, config.threads_per_block)) {}

  /// There is no lock to measure.
  bench::counters measure() override { return {}; }

 private:
  void start_pushes() override {
    launch_cooperative(insert_lockfree, shape(), lists(), config().section_work);
  }
};

}  // namespace

std::unique_ptr<bench::experiment> make_lockfree(const run_config& config) {
  if (config.section != section_kind::push)
    throw bench::infeasible("lockfree only pushes: its section is one exchange");
  return std::make_unique<lockfree_experiment>(config);
}

}  // namespace finesync::ht
