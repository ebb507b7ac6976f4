// SPDX-License-Identifier: Apache-2.0
#include <bench/kernel_timer.hpp>
#include <bench/machine_interface.hpp>
#include <finesync/host/buffer.cuh>

#include <stdexcept>

namespace finesync::bench {
namespace {

double time_on_device(const stream* on, const std::function<void()>& queue_work) {
  kernel_timer watch(on != nullptr ? *on : stream());
  watch.start();
  queue_work();
  return watch.stop();
}

/// \throws std::runtime_error if kernels were compiled to be checked, not to be run.
gpu_properties gpu_to_measure() {
  gpu_properties gpu = current_gpu();
#ifdef FINESYNC_QUICK_KERNELS
  throw std::runtime_error(
      "this program was built to be checked, on a machine without a GPU: its kernels are not "
      "optimized; configure with -DFINESYNC_FILES_PER_SOURCE=1, or on the machine with the GPU");
#else
  return gpu;
#endif
}

}  // namespace

machine_interface real_machine() {
  return {.gpu = gpu_to_measure,
          .options = machine_options,
          .time = time_on_device,
          .profile = let_profilers_record,
          .counts = last_launch_counts,
          .poison = poison_scratch,
          .memory_in_use = device_memory_in_use,
          .is_usable = devices_are_usable,
          .monitor = watch_gpu,
          .repetitions = runs_on_gpu() ? 10 : 1};
}

}  // namespace finesync::bench
