// The grid of launches that only settle chains, and its barrier. Host side.
#pragma once

#include <finesync/barriers/autotuned_barrier.cuh>
#include <finesync/host/gpu.cuh>
#include <finesync/host/launch.cuh>
#include <workloads/mst/phases/forest_ref.cuh>

#include <algorithm>

namespace finesync::mst {

class settling_grid {
 public:
  /// \param kernel one of the launches; all have the same launch bounds, and no shared memory.
  template <class... Parameters>
  explicit settling_grid(void (*kernel)(Parameters...))
      : shape_{.blocks = std::min(round_blocks_per_sm * static_cast<unsigned>(current_gpu().sms),
                                  max_resident_blocks(kernel, round_threads)),
               .threads_per_block = round_threads},
        barrier_(shape_) {}

  void reset() { barrier_.reset(); }
  const launch_shape& shape() const { return shape_; }
  autotuned_barrier::ref_type barrier() const { return barrier_.ref(); }

 private:
  launch_shape shape_;
  autotuned_barrier barrier_;
};

}  // namespace finesync::mst
