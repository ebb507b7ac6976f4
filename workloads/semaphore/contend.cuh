// The kernel: blocks that enter and leave one semaphore.
#pragma once

#include "sections.cuh"
#include "shares.cuh"
#include "sm_of_block.cuh"

#include <finesync/device/numbering.cuh>
#include <workloads/common/observers/wait_observer.cuh>
#include <workloads/common/run_length.cuh>

#include <cstdint>
#include <type_traits>

namespace finesync::semaphore {

/// Called by the threads that enter: only thread 0, or all, which must then agree.
template <class Section, class RunLength>
__device__ bool continues(RunLength& run_length, unsigned done) {
  if constexpr (Section::whole_block && std::is_same_v<RunLength, workload::for_duration>)
    return __syncthreads_or(threadIdx.x == 0 && run_length.continues(done)) != 0;
  else
    return run_length.continues(done);
}

/// Counts the permits in use. begin() takes the number of permits requested.
class occupancy_observer {
 public:
  occupancy_observer(const table_ref& table, unsigned size)
      : inside_(table.inside), overfull_(table.overfull), size_(size) {}

  __device__ void begin(unsigned permits) { permits_ = permits; }
  __device__ void retry() {}
  __device__ void entered() {
    const std::uint32_t before = word(*inside_).fetch_add(permits_, memory_order::relaxed);
    if (before + permits_ > size_) word(*overfull_).fetch_add(1, memory_order::relaxed);
  }
  __device__ void leaving() { word(*inside_).fetch_add(0 - permits_, memory_order::relaxed); }
  __device__ void finish() {}

 private:
  using word = atomic_ref<std::uint32_t, scope::device>;

  cell<std::uint32_t>* inside_;
  cell<std::uint32_t>* overfull_;
  std::uint32_t size_;
  std::uint32_t permits_ = 0;
};

/// Observes the time that a block waits to leave, as wait_observer does the time to enter.
class exit_wait_observer : public workload::wait_observer {
 public:
  explicit exit_wait_observer(const workload::wait_observer& record)
      : workload::wait_observer(record) {}

  __device__ void begin(unsigned /*permits*/) {}
  __device__ void entered() {}
  __device__ void leaving() { workload::wait_observer::begin(0); }
  __device__ void left() { workload::wait_observer::entered(); }
};

/// A semaphore that must know who reads, where a reader and a writer take as many permits.
template <class Semaphore>
inline constexpr bool tells_readers = requires(const Semaphore semaphore) {
  semaphore.for_reader();
};

/// 32 registers let an SM hold its maximum of threads, which the thesis's full-occupancy points
/// need.
template <class Section, class Semaphore, class RunLength, class Probe>
__global__ void __maxnreg__(32) contend(Semaphore semaphore, typename Section::table_type table,
                                        RunLength run_length, watchdog_ref watchdog, Probe probe) {
  assume_one_dimension();
  bool writes = false;
  if (threadIdx.x == 0) {
    writes = table.permits != 0 &&
             atomic_ref<std::uint32_t, scope::device>(table.arrived[sm_of_block(table)])
                     .fetch_add(1, memory_order::relaxed) == 0;
    table.writes[blockIdx.x] = writes;
  }
  if constexpr (Section::whole_block) {
    writes = __syncthreads_or(writes) != 0;
  } else {
    if (threadIdx.x != 0) return;
  }
  if constexpr (tells_readers<Semaphore>) {
    if (!writes) semaphore = semaphore.for_reader();
  }
  Section section(table, writes);
  const unsigned permits = writes ? table.permits : 1;
  unsigned done = 0;
  while (continues<Section>(run_length, done)) {
    probe.begin(permits);
    if constexpr (Section::whole_block) {
      if (!run_block_with_permits(semaphore, permits, section, watchdog, probe)) break;
    } else {
      if (!run_with_permits<other_lanes::idle>(semaphore, permits, section, watchdog, probe)) break;
    }
    ++done;
  }
  if (const std::uint32_t torn = section.torn(); torn != 0)
    atomic_ref<std::uint32_t, scope::device>(*table.torn).fetch_add(torn, memory_order::relaxed);
  if (threadIdx.x == 0) {
    table.acquisitions[blockIdx.x] = done;
    watchdog.report_done();
    probe.finish();
  }
}

/// One thread, behind a run. \param free 1 if it can take all permits, `at_once` at a time; 2 if it
/// then gets one more.
template <class Semaphore>
__global__ void take_all(Semaphore semaphore, unsigned size, unsigned at_once,
                         watchdog_ref watchdog, cell<std::uint32_t>* free) {
  assume_one_dimension();
  no_observer nobody;
  for (unsigned taken = 0; taken < size; taken += at_once) {
    auto acquisition = semaphore.enqueue(at_once);
    if (!acquire(semaphore, acquisition, watchdog, nobody)) return;
  }
  if constexpr (tells_readers<Semaphore>) semaphore = semaphore.for_reader();
  auto one_more = semaphore.enqueue(1);
  *free = semaphore.try_enter(one_more) ? 2 : 1;
}

}  // namespace finesync::semaphore
