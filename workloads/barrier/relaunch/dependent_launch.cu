#include "relaunch_experiment.cuh"

#include <finesync/device/dependent_launch.cuh>

#include <memory>

namespace finesync::barrier {

namespace {

/// The launch of the next kernel overlaps with this one and with the wait for the one before.
struct overlapping {
  static constexpr kernel_order order = kernel_order::dependent;
  __device__ static void follow() {
    launch_next_kernel();
    wait_for_previous_kernel();
  }
};

}  // namespace

std::unique_ptr<bench::experiment> make_dependent_launch(const run_config& config) {
  return std::make_unique<relaunch_experiment<overlapping>>(config);
}

}  // namespace finesync::barrier
