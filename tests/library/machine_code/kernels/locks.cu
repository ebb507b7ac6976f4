// One acquisition of each lock, with the state in device memory and, if the lock may be of block
// scope, also in shared memory. One lock per thread, so that the compiler does not merge additions.
#include "kernels.cuh"

#include <finesync/device/numbering.cuh>
#include <finesync/locks/anderson_lock.cuh>
#include <finesync/locks/array_lock.cuh>
#include <finesync/locks/cohort_lock.cuh>
#include <finesync/locks/exclusive.cuh>
#include <finesync/locks/mcs_lock.cuh>
#include <finesync/locks/spin_lock.cuh>
#include <finesync/locks/tas_lock.cuh>
#include <finesync/locks/ticket_lock.cuh>
#include <finesync/locks/ttas_lock.cuh>
#include <finesync/locks/value_passing_lock.cuh>
#include <finesync/locks/warp_combining_lock.cuh>
#include <finesync/multi_object/escrow.cuh>
#include <finesync/multi_object/multi_lock.cuh>
#include <finesync/several_gpus/gpus_cohort_lock.cuh>
#include <finesync/several_gpus/gpus_queue_lock.cuh>

namespace {

template <class Lock>
__device__ void leave(Lock lock, typename Lock::acquisition& acquisition) {
  if constexpr (std::is_void_v<decltype(lock.leave(acquisition))>) {
    lock.leave(acquisition);
  } else {
    while (!lock.leave(acquisition)) lock.wait(acquisition);
  }
}

template <class Lock>
__device__ void add_under(Lock lock, cell<u32>* data) {
  auto acquisition = lock.enqueue();
  while (!lock.try_enter(acquisition)) lock.wait(acquisition);
  data[threadIdx.x] = data[threadIdx.x] + 1;
  leave(lock, acquisition);
}

template <class Lock>
__device__ void add_under_own(cell<u32>* data) {
  auto* const locks = reinterpret_cast<typename Lock::state*>(shared_bytes());
  add_under(Lock(locks[threadIdx.x]), data);
}

template <class Lock>
__device__ void add_to_carried(typename Lock::state* locks) {
  Lock lock(locks[threadIdx.x]);
  auto acquisition = lock.enqueue();
  while (!lock.try_enter(acquisition)) lock.wait(acquisition);
  reinterpret_cast<unsigned char&>(acquisition.value) += 1;
  lock.leave(acquisition);
}

struct increment {
  cell<u32>* data;

  __device__ void operator()() const { *data = *data + 1; }
};

template <unsigned Bytes>
struct bytes {
  unsigned char byte[Bytes];
};

using waits = exponential_backoff<32, 2048>;
using queues = proportional_backoff<100, 4096>;
using mcs = mcs_lock<scope::device>;
using cohort = cohort_lock<scope::device, no_backoff, 16, 64, 32>;

}  // namespace

#define UNDER(kernel, ...)                                                        \
  extern "C" __global__ void kernel(__VA_ARGS__::state* locks, cell<u32>* data) { \
    assume_one_dimension();                                                       \
    add_under(__VA_ARGS__(locks[threadIdx.x]), data);                             \
  }
#define BLOCK(name, ...)                                     \
  extern "C" __global__ void name##_block(cell<u32>* data) { \
    assume_one_dimension();                                  \
    add_under_own<__VA_ARGS__>(data);                        \
  }

// With a watchdog in the loop.
#define WATCHED(name, ...)                                                                   \
  extern "C" __global__ void name##_watched(__VA_ARGS__::state* locks, cell<u32>* data,      \
                                            watchdog_ref watchdog) {                         \
    assume_one_dimension();                                                                  \
    run_exclusive(__VA_ARGS__(locks[threadIdx.x]), increment{data + threadIdx.x}, watchdog); \
  }
#define EACH_SCOPE(name, lock, ...)                                    \
  UNDER(name##_device, lock<scope::device __VA_OPT__(, ) __VA_ARGS__>) \
  UNDER(name##_system, lock<scope::system __VA_OPT__(, ) __VA_ARGS__>) \
  BLOCK(name, lock<scope::block __VA_OPT__(, ) __VA_ARGS__>)           \
  WATCHED(name, lock<scope::device __VA_OPT__(, ) __VA_ARGS__>)
EACH_SCOPE(spin, spin_lock)
EACH_SCOPE(tas, tas_lock)
EACH_SCOPE(backoff, ttas_lock, waits)
EACH_SCOPE(ticket, ticket_lock, queues)
EACH_SCOPE(anderson, anderson_lock, queues)
UNDER(array_device, array_lock<scope::device, no_backoff>)
BLOCK(array, array_lock<scope::block, no_backoff>)
UNDER(array_sleeping_device, array_lock<scope::device, queues>)

extern "C" __global__ void mcs_device(mcs::state* locks, mcs::node* nodes, cell<u32>* data) {
  assume_one_dimension();
  add_under(mcs(locks[threadIdx.x], nodes, gridDim.x * blockDim.x), data);
}

extern "C" __global__ void cohort_device(cohort::state* lock, cell<u32>* data) {
  assume_one_dimension();
  auto& slot = shared_storage<cohort::block_storage>();
  cohort::open(slot);
  add_under(cohort(*lock, slot), data);
  cohort::close();
}

namespace {

struct two_words {
  u32 first, second;
};

template <class Locks, class Way>
__device__ void add_under_two(const Locks& locks, two_words which, cell<u32>* data) {
  add_under(multi_lock<Locks, 2, Way>(locks, {which.first, which.second}), data);
}

}  // namespace

#define TWO(name, way, ...)                                                         \
  extern "C" __global__ void two_##name(__VA_ARGS__::state* locks, two_words which, \
                                        cell<u32>* data) {                          \
    assume_one_dimension();                                                         \
    add_under_two<lock_array<__VA_ARGS__>, way>({locks}, which, data);              \
  }
TWO(spin_in_order, in_order, spin_lock<scope::device>)
TWO(ticket_in_order, in_order, ticket_lock<scope::device, queues>)
TWO(tas_at_once, all_or_nothing<>, tas_lock<scope::device>)

/// A try to move an amount, each thread between two words of its own.
extern "C" __global__ void escrow_move(cell<u64>* words, u32 amount, cell<u32>* turns) {
  assume_one_dimension();
  escrow_history seen = {};
  escrow<scope::device> both(words[2 * threadIdx.x], words[2 * threadIdx.x + 1]);
  const auto section = [&](u32 held) { return held < amount ? 0 : amount; };
  if (both.try_transfer(section, seen)) turns[threadIdx.x] = seen.freed;
}

namespace {

using busy_cohort = cohort_lock<scope::device, queues, 16, 64, 1>;

}  // namespace

/// With a watchdog, in the registers of a thread on a full SM: values spilled near an acquire fence
/// are reloaded from the L2.
extern "C" __global__ void __maxnreg__(32)
    cohort_on_full_sm(busy_cohort::state* lock, cell<u32>* data, u32 rounds, cell<u32>* done,
                      watchdog_ref watchdog) {
  assume_one_dimension();
  auto& slot = shared_storage<busy_cohort::block_storage>();
  busy_cohort::open(slot);
  if (threadIdx.x == 0) {
    u32 round = 0;
    while (round < rounds && run_exclusive(busy_cohort(*lock, slot), increment{data}, watchdog))
      ++round;
    done[blockIdx.x] = round;
  }
  busy_cohort::close();
}

namespace {

template <unsigned Bytes>
using passing = value_passing_lock<scope::device, bytes<Bytes>, no_backoff, 16>;

}  // namespace

#define CARRYING(n)                                                        \
  extern "C" __global__ void value_passing_##n(passing<n>::state* locks) { \
    assume_one_dimension();                                                \
    add_to_carried<passing<n>>(locks);                                     \
  }
CARRYING(1)
CARRYING(2)
CARRYING(3)
CARRYING(4)
CARRYING(5)
CARRYING(6)
CARRYING(7)
CARRYING(8)
CARRYING(9)
CARRYING(10)
CARRYING(11)
CARRYING(12)

extern "C" __global__ void gpus_array(gpus_array_lock lock, cell<u32>* data) {
  assume_one_dimension();
  add_under(lock, data);
}

extern "C" __global__ void gpus_value_passing(gpus_value_passing_lock lock) {
  assume_one_dimension();
  auto acquisition = lock.enqueue();
  while (!lock.try_enter(acquisition)) lock.wait(acquisition);
  ++acquisition.value;
  lock.leave(acquisition);
}

/// As cohort_on_full_sm.
extern "C" __global__ void __maxnreg__(32)
    gpus_cohort(gpus_cohort_lock lock, cell<u32>* data, u32 rounds, cell<u32>* done,
                watchdog_ref watchdog) {
  assume_one_dimension();
  if (threadIdx.x != 0) return;
  u32 round = 0;
  while (round < rounds && run_exclusive<other_lanes::idle>(lock, increment{data}, watchdog))
    ++round;
  done[blockIdx.x] = round;
}

namespace {

using warp_combining = warp_combined<tas_lock<scope::device>>;

/// The increment of each lane, or of their group's first lane for all.
struct addition {
  cell<u32>* sum;
  u32 amount;

  __device__ void operator()() const { *sum = *sum + amount; }
};
struct gathered : addition {
  __device__ gathered merge(const lane_group& group) const {
    const u32 all = group.fold(amount, [](u32 a, u32 b) { return a + b; });
    return {{sum, all}};
  }
};

// Lanes have different numbers of iterations, so that groups with several masks occur.
template <class Section>
__device__ void combine(warp_combining::state* locks, cell<u32>* sums,
                        const watchdog_ref& watchdog) {
  for (u32 i = threadIdx.x % 7; i < 7; ++i) {
    const Section section{{sums + i, threadIdx.x}};
    if (!run_exclusive(warp_combining(locks[i]), section, watchdog)) return;
  }
}

}  // namespace

extern "C" __global__ void warp_combining_each(warp_combining::state* locks, cell<u32>* sums,
                                               watchdog_ref watchdog) {
  assume_one_dimension();
  struct each : addition {};
  combine<each>(locks, sums, watchdog);
}
extern "C" __global__ void warp_combining_gathered(warp_combining::state* locks, cell<u32>* sums,
                                                   watchdog_ref watchdog) {
  assume_one_dimension();
  combine<gathered>(locks, sums, watchdog);
}
