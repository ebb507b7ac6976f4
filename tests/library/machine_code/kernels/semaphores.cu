// One acquisition and release of each semaphore, and one with all permits.
#include "kernels.cuh"

#include <finesync/device/numbering.cuh>
#include <finesync/device/shared_storage.cuh>
#include <finesync/semaphores/cas_semaphore.cuh>
#include <finesync/semaphores/priority_semaphore.cuh>
#include <finesync/semaphores/semaphore.cuh>
#include <finesync/semaphores/shared_semaphore.cuh>
#include <finesync/semaphores/spin_semaphore.cuh>
#include <finesync/semaphores/ticket_semaphore.cuh>
#include <workloads/printed/semaphores/priority_semaphore.cuh>
#include <workloads/printed/semaphores/spin_semaphore.cuh>

#include <utility>

namespace {

using waits = exponential_backoff<32, 2048>;

template <class Semaphore>
using ref_of = decltype(std::declval<const Semaphore&>().ref());

template <class Ref>
__device__ void add_inside(const Ref& semaphore, u32 permits, cell<u32>* data) {
  auto acquisition = semaphore.enqueue(permits);
  while (!semaphore.try_enter(acquisition)) semaphore.wait(acquisition);
  data[threadIdx.x] = data[threadIdx.x] + 1;
  while (!semaphore.leave(acquisition)) semaphore.wait(acquisition);
}

}  // namespace

#define SEMAPHORE(name, ...)                                                                     \
  extern "C" __global__ void name(ref_of<__VA_ARGS__> semaphore, u32 permits, cell<u32>* data) { \
    assume_one_dimension();                                                                      \
    add_inside(semaphore, permits, data);                                                        \
  }

SEMAPHORE(spin_semaphore_passage, spin_semaphore<waits>)
SEMAPHORE(priority_semaphore_passage, priority_semaphore<waits>)
SEMAPHORE(spin_printed_passage, spin_printed_semaphore<steps_by_role>)
SEMAPHORE(priority_printed_passage, priority_printed_semaphore<steps_by_role>)
SEMAPHORE(cas_semaphore_passage, cas_semaphore<waits>)
SEMAPHORE(ticket_semaphore_passage, ticket_semaphore<>)

// In shared memory, the word that of the cluster's first block.
extern "C" __global__ void shared_semaphore_cluster(u32 permits, cell<u32>* data) {
  assume_one_dimension();
  using semaphore = shared_semaphore<scope::cluster>;
  add_inside(semaphore(shared_storage<semaphore::block_storage>(), permits), permits, data);
}
extern "C" __global__ void shared_semaphore_block(u32 permits, cell<u32>* data) {
  assume_one_dimension();
  using semaphore = shared_semaphore<scope::block>;
  add_inside(semaphore(shared_storage<semaphore::block_storage>(), permits), permits, data);
}

// By a whole block.
extern "C" __global__ void priority_printed_block(
    ref_of<priority_printed_semaphore<no_backoff>> semaphore, u32 permits, cell<u32>* data,
    watchdog_ref watchdog) {
  assume_one_dimension();
  run_block_with_permits(
      semaphore, permits, [&] { data[threadIdx.x] = data[threadIdx.x] + 1; }, watchdog);
}
