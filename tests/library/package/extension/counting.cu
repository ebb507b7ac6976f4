// The kernel file of a PyTorch extension (docs/library/using.md): counts under a lock, in PyTorch's
// stream. Its counterpart counting.cpp, which includes <torch/extension.h>, calls
//   count(counter.data_ptr<int>(), at::cuda::getCurrentCUDAStream());
#include <finesync/device/watchdog.cuh>
#include <finesync/host/launch.cuh>
#include <finesync/host/stream.cuh>
#include <finesync/host/watchdog.cuh>
#include <finesync/locks/exclusive.cuh>
#include <finesync/locks/lock_table.cuh>
#include <finesync/locks/tas_lock.cuh>

#include <stdexcept>

using namespace finesync;

using lock = tas_lock<scope::device>;

__global__ void add(lock_table_ref<lock> locks, cell<int>* counter, watchdog_ref watchdog) {
  const auto section = [=] { *counter += 1; };
  run_exclusive(locks[0], section, watchdog);
}

void count(int* counter, cudaStream_t torch_stream) {
  const stream in(torch_stream);
  lock_table<lock> locks(1, lock_layout::padded, in);
  const watchdog timeout(in);
  launch_cooperative(in, add, {.blocks = 4, .threads_per_block = 128}, locks.ref(), counter,
                     timeout.ref());
  if (timeout.fired()) throw std::runtime_error("a thread waited too long for the lock");
}
