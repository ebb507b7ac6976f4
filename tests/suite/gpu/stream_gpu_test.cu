// Streams and devices on GPUs: no operation waits for another stream, and owners work with any
// current device.
#include "gpu_fixture.hpp"

#include <finesync/barriers/autotuned_barrier.cuh>
#include <finesync/host/buffer.cuh>
#include <finesync/host/launch.cuh>
#include <finesync/host/launch_graph.cuh>
#include <finesync/host/watchdog.cuh>
#include <finesync/locks/lock_table.cuh>
#include <finesync/locks/ticket_lock.cuh>

#include <cstdint>
#include <stdexcept>
#include <vector>

namespace finesync::test::stream_gpu_test {
namespace {

using words = buffer<std::uint32_t>;
using word = cell<std::uint32_t>;

words zeroed_on(const stream& on) {
  words zeroed(1, on);
  zeroed.fill_bytes(0);
  return zeroed;
}

__global__ void wait_for(word* flag, watchdog_ref watchdog) {
  const atomic_ref<std::uint32_t, scope::device> raised(*flag);
  bounded_wait wait(watchdog);
  while (raised.load(memory_order::relaxed) == 0)
    if (wait.timed_out()) return;
}

__global__ void add(word* sum) {
  atomic_ref<std::uint32_t, scope::device>(*sum).fetch_add(1, memory_order::relaxed);
}

template <class Barrier>
__global__ void meet(Barrier barrier, word* met, watchdog_ref watchdog) {
  auto participant = barrier.join(watchdog);
  if (participant.wait() && threadIdx.x == 0)
    atomic_ref<std::uint32_t, scope::device>(*met).fetch_add(1, memory_order::relaxed);
}

class stream_on_gpu : public on_gpu {};

// The kernel in one stream ends only after all of this was done in the other, or by its watchdog.
TEST_F(stream_on_gpu, waits_for_no_other_stream) {
  const owned_stream busy;
  const owned_stream on;
  words flag = zeroed_on(on);
  words sum = zeroed_on(on);
  const watchdog timeout(busy);
  lock_table<ticket_lock<scope::device, no_backoff>> locks(4, lock_layout::padded, on);
  launch_graph graph(on);
  launch_independent(graph, add, {.blocks = 2, .threads_per_block = 32}, sum.device_data());
  on.synchronize();
  launch_cooperative(busy, wait_for, {.blocks = 1, .threads_per_block = 1}, flag.device_data(),
                     timeout.ref());

  locks.reset();
  launch_cooperative(on, add, {.blocks = 2, .threads_per_block = 32}, sum.device_data());
  graph.launch();
  EXPECT_EQ(sum.to_host()[0], 128u);
  on.synchronize();
  EXPECT_EQ(cudaStreamQuery(stream(busy).handle()), cudaErrorNotReady);
  cudaGetLastError();

  flag.copy_from(std::vector<std::uint32_t>{1});
  EXPECT_FALSE(timeout.fired());
}

owned_stream stream_of(int device) {
  const device_guard here(device);
  return {};
}

int device_of(const void* memory) {
  cudaPointerAttributes attributes;
  check_cuda(cudaPointerGetAttributes(&attributes, memory));
  return attributes.device;
}

TEST_F(two_gpus, owners_work_whichever_device_is_current) {
  const owned_stream second = stream_of(1);
  EXPECT_EQ(current_device(), 0);
  EXPECT_EQ(stream(second).device(), 1);
  words met = zeroed_on(second);
  EXPECT_EQ(device_of(met.device_data()), 1);
  const launch_shape shape{.blocks = 8, .threads_per_block = 64};
  const autotuned_barrier barrier(shape, second);
  const watchdog timeout(second);
  launch_cooperative(second, meet<autotuned_barrier::ref_type>, shape, barrier.ref(),
                     met.device_data(), timeout.ref());
  launch_graph graph(second);
  launch_independent(graph, add, {.blocks = 1, .threads_per_block = 4}, met.device_data());
  graph.launch();
  EXPECT_EQ(met.to_host()[0], 12u);
  EXPECT_FALSE(timeout.fired());
  EXPECT_EQ(current_device(), 0);
}

TEST_F(two_gpus, memory_is_refused_in_a_stream_of_another_device) {
  words here = zeroed_on(stream());
  const owned_stream second = stream_of(1);
  EXPECT_THROW(here.fill_bytes(1, second), std::invalid_argument);
  EXPECT_THROW(here.to_host(second), std::invalid_argument);
  EXPECT_EQ(here.to_host()[0], 0u);
}

}  // namespace
}  // namespace finesync::test::stream_gpu_test
