// What the experiments on several GPUs share: a part of the table on each, and its verification.
#pragma once

#include <finesync/host/buffer.cuh>
#include <finesync/host/peers.cuh>
#include <finesync/several_gpus/gpus_watchdog.cuh>
#include <workloads/common/gpus_launch.cuh>
#include <workloads/ht/insert_experiment.cuh>

#include <cstdint>
#include <vector>

namespace finesync::ht {

/// The keys are drawn on all GPUs. An entry's list is on the GPU of its server.
class gpus_inserts : public verified_inserts {
 public:
  /// \param shape the grid of each GPU.
  gpus_inserts(const run_config& config, peers all, const launch_shape& shape);

  void reset() override;
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
    return {{parts_[gpu].ref(), config().section_work}};
  }
  empty_service empties(unsigned gpu) const {
    return {sections_[gpu].device_data(), config().section_work};
  }

 private:
  bench::outcome verify_pushes() final;
  bench::outcome verify_empties() final;

  workload::gpus_launch launch_;
  std::vector<table> parts_;
  std::vector<buffer<std::uint64_t>> sections_;
};

}  // namespace finesync::ht
