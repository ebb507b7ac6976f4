#include <bench/kernel_timer.hpp>
#include <bench/machine_interface.hpp>

namespace finesync::bench {
namespace {

double time_on_device(const std::function<void()>& queue_work) {
  kernel_timer watch;
  watch.start();
  queue_work();
  return watch.stop();
}

}  // namespace

machine_interface real_machine() {
  return {current_gpu, machine_options, time_on_device, last_launch_counts};
}

}  // namespace finesync::bench
