// Block-scope locks and atomics on shared memory, to check that they use shared-memory addressing.
#include <finesync/device/shared_storage.cuh>
#include <finesync/device/watchdog.cuh>
#include <finesync/host/launch.cuh>
#include <finesync/locks/anderson_lock.cuh>
#include <finesync/locks/exclusive.cuh>
#include <finesync/locks/spin_lock.cuh>
#include <finesync/locks/tas_lock.cuh>
#include <finesync/locks/ticket_lock.cuh>

#include <cstdint>

using namespace finesync;

template <class Lock>
struct locked {
  typename Lock::state lock;
  cell<std::uint32_t> count;
};

template <class Lock>
__global__ void count_under(watchdog_ref watchdog) {
  auto& shared = shared_storage<locked<Lock>>();
  run_exclusive(
      Lock(shared.lock), [&] { shared.count = shared.count + 1; }, watchdog);
}

template __global__ void count_under<spin_lock<scope::block>>(watchdog_ref);
template __global__ void count_under<tas_lock<scope::block>>(watchdog_ref);
template __global__ void count_under<ticket_lock<scope::block, no_backoff>>(watchdog_ref);
template __global__ void count_under<anderson_lock<scope::block, no_backoff>>(watchdog_ref);

template <class T>
__global__ void all_operations(T* out, T value) {
  auto& word = shared_storage<cell<T>>();
  const atomic_ref<T, scope::block> ref(word);
  ref.store(value, memory_order::release);
  T found = ref.load(memory_order::acquire) + ref.exchange(value, memory_order::acq_rel);
  found +=
      ref.fetch_add(value, memory_order::relaxed) + ref.fetch_and(value, memory_order::acquire);
  found += ref.fetch_or(value, memory_order::release) + ref.fetch_xor(value, memory_order::acq_rel);
  found +=
      ref.fetch_min(value, memory_order::relaxed) + ref.fetch_max(value, memory_order::seq_cst);
  T expected = value;
  ref.compare_exchange(expected, found, memory_order::acquire);
  *out = found + expected;
}

template __global__ void all_operations(std::uint32_t*, std::uint32_t);
template __global__ void all_operations(std::int32_t*, std::int32_t);
template __global__ void all_operations(std::uint64_t*, std::uint64_t);
template __global__ void all_operations(std::int64_t*, std::int64_t);
