// What the experiments on several GPUs share: a part of the data on each, and its verification.
#pragma once

#include <finesync/host/buffer.cuh>
#include <finesync/host/peers.cuh>
#include <finesync/several_gpus/gpus_watchdog.cuh>
#include <finesync/several_gpus/symmetric_memory.cuh>
#include <finesync/several_gpus/symmetric_view.cuh>
#include <workloads/common/gpus_launch.cuh>
#include <workloads/ht/insert_experiment.cuh>

#include <cstdint>
#include <vector>

namespace finesync::ht {

/// The keys are drawn on all GPUs. An entry's list or counter is on one of them: on that of its
/// server.
class gpus_inserts : public verified_inserts {
 public:
  /// \param shape the grid of each GPU.
  gpus_inserts(const run_config& config, peers all, const launch_shape& shape);

  void reset() override;
  const stream* timed_stream() const override { return launch_.timed_stream(); }
  bench::parameters effective_parameters() const override;

 protected:
  const peers& all() const { return launch_.all(); }
  const launch_shape& shape() const { return launch_.shape(); }
  const gpus_watchdog& timeouts() const { return launch_.timeouts(); }
  /// \param queue_work queues the work on all GPUs.
  template <class QueueWork>
  void timed(const QueueWork& queue_work) const {
    launch_.timed(queue_work);
  }
  owned_push_service pushes(unsigned gpu) const {
    return {{parts_[place_of(gpu)].ref(), config().section_work}};
  }
  count_service counts(unsigned gpu) const {
    return {counters_[place_of(gpu)].device_data(), config().section_work};
  }
  /// By GPU, for a kernel of GPU `me` that uses those of all.
  symmetric_view heads(unsigned me) const { return heads_.view(me); }
  symmetric_view nexts(unsigned me) const { return nexts_.view(me); }
  symmetric_view counters_of_all(unsigned me) const { return counts_.view(me); }
  empty_service empties(unsigned gpu) const {
    return {sections_[place_of(gpu)].device_data(), config().section_work};
  }

 private:
  bench::outcome verify_pushes() final;
  bench::outcome verify_empties() final;
  bench::outcome verify_counts() final;

  unsigned place_of(unsigned gpu) const { return gpu - all().first(); }

  workload::gpus_launch launch_;
  symmetric_memory heads_;
  symmetric_memory nexts_;
  symmetric_memory counts_;
  // Of this process's GPUs.
  std::vector<table> parts_;
  std::vector<counters> counters_;
  std::vector<buffer<std::uint64_t>> sections_;
};

}  // namespace finesync::ht
