// finesync's own primitives, as nvcc compiles them: threads count under locks and with
// a semaphore's permits, and blocks meet at a grid barrier. Broken: one sum is read before the
// barrier.
#include <finesync/barriers/autotuned_barrier.cuh>
#include <finesync/host/buffer.cuh>
#include <finesync/host/launch.cuh>
#include <finesync/host/watchdog.cuh>
#include <finesync/locks/array_lock.cuh>
#include <finesync/locks/exclusive.cuh>
#include <finesync/locks/lock_table.cuh>
#include <finesync/locks/mcs_lock.cuh>
#include <finesync/locks/tas_lock.cuh>
#include <finesync/locks/ticket_lock.cuh>
#include <finesync/semaphores/semaphore.cuh>
#include <finesync/semaphores/ticket_semaphore.cuh>

using namespace finesync;

namespace {

constexpr launch_shape shape{.blocks = 4, .threads_per_block = 4};
constexpr unsigned threads = 4 * 4;

/// Whether each thread's increment of a counter, which this kernel makes, counts once.
template <class Kernel, class Primitive>
bool counts_right(Kernel kernel, const Primitive& primitive, unsigned expected) {
  const auto counter = buffer<unsigned>::zeroed(1);
  const watchdog timeout;
  launch_cooperative(kernel, shape, primitive.ref(), counter.device_data(), timeout.ref());
  stream().synchronize();
  return counter.to_host()[0] == expected && !timeout.fired();
}

template <class Lock>
__global__ void count(lock_table_ref<Lock> locks, cell<unsigned>* counter, watchdog_ref watchdog) {
  const auto increment = [=] { *counter = *counter + 1; };
  run_exclusive(locks[0], increment, watchdog);
}

template <class Lock>
bool lock_counts_right() {
  return counts_right(count<Lock>, lock_table<Lock>(1, lock_layout::packed, threads), threads);
}

constexpr unsigned permits = 3;

template <class Semaphore>
__global__ void count_as_writers(Semaphore semaphore, cell<unsigned>* counter,
                                 watchdog_ref watchdog) {
  const auto increment = [=] {
    if (threadIdx.x == 0) *counter = *counter + 1;
  };
  run_block_with_permits(semaphore, permits, increment, watchdog);
}

bool semaphore_counts_right() {
  const ticket_semaphore<> semaphore(permits);
  return counts_right(count_as_writers<decltype(semaphore.ref())>, semaphore, shape.blocks);
}

template <class Barrier>
__global__ void meet(Barrier barrier, bool waits, cell<unsigned>* numbers, cell<unsigned>* wrong,
                     watchdog_ref watchdog) {
  auto participant = barrier.join(watchdog);
  if (threadIdx.x == 0) numbers[blockIdx.x] = blockIdx.x;
  if (waits && !participant.wait()) return;
  const unsigned next = (blockIdx.x + 1) % gridDim.x;
  if (threadIdx.x == 0) wrong[blockIdx.x] = numbers[next] != next;  // reported
  participant.wait();
}

bool barrier_holds(bool waits) {
  const autotuned_barrier barrier(shape);
  const auto numbers = buffer<unsigned>::zeroed(shape.blocks);
  const auto wrong = buffer<unsigned>::zeroed(shape.blocks);
  const watchdog timeout;
  launch_cooperative(meet<decltype(barrier.ref())>, shape, barrier.ref(), waits,
                     numbers.device_data(), wrong.device_data(), timeout.ref());
  stream().synchronize();
  for (const unsigned each : wrong.to_host())
    if (each != 0) return false;
  return !timeout.fired();
}

}  // namespace

int main(int argc, char**) {
  const bool locks_hold = lock_counts_right<tas_lock<scope::device>>() &&
                          lock_counts_right<ticket_lock<scope::device>>() &&
                          lock_counts_right<mcs_lock<scope::device>>() &&
                          lock_counts_right<array_lock<scope::device>>();
  return locks_hold && semaphore_counts_right() && barrier_holds(argc == 1) ? 0 : 1;
}
