// Single accesses and fences: each that the library has, with each valid order, on words in device
// memory, in the block's shared memory, and in a cluster's.
#include "kernels.cuh"

#include <finesync/device/atomic_value.cuh>
#include <finesync/device/cluster.cuh>
#include <finesync/device/numbering.cuh>

namespace {

/// The place of the words; one per thread, so that the compiler does not merge additions.
struct in_device_memory {
  static constexpr scope reach = scope::device;
  template <class T>
  using atomic = atomic_ref<T, reach>;
  template <class T>
  __device__ static cell<T>& word(cell<T>* words) {
    return words[threadIdx.x];
  }
};
struct in_own_block {
  static constexpr scope reach = scope::block;
  template <class T>
  using atomic = atomic_ref<T, reach>;
  template <class T>
  __device__ static cell<T>& word(cell<T>*) {
    return reinterpret_cast<cell<T>*>(shared_bytes())[threadIdx.x];
  }
};
struct in_cluster {
  static constexpr scope reach = scope::cluster;
  template <class T>
  using atomic = atomic_ref<T, reach>;
  template <class T>
  __device__ static cell<T>& word(cell<T>* words) {
    return in_block(in_own_block::word<T>(words), blockIdx.y);
  }
};
struct in_own_part : in_own_block {
  static constexpr scope reach = scope::cluster;
  template <class T>
  using atomic = atomic_ref<T, reach, shared_owner::own_block>;
};

}  // namespace

#define KERNEL(name, type, place, statement)                                               \
  extern "C" __global__ void name##_##place(cell<type>* words, type value, type* result) { \
    assume_one_dimension();                                                                \
    const in_##place::atomic<type> x(in_##place::word<type>(words));                       \
    type found = value;                                                                    \
    statement;                                                                             \
    result[threadIdx.x] = found;                                                           \
  }

#define LOAD(type, order, place) \
  KERNEL(ld_##type##_##order, type, place, found = x.load(memory_order::order))
#define STORE(type, order, place) \
  KERNEL(st_##type##_##order, type, place, x.store(value, memory_order::order))
#define MODIFY(name, operation, type, order, place) \
  KERNEL(name##_##type##_##order, type, place, found = x.operation(value, memory_order::order))
#define CAS(type, order, place)             \
  KERNEL(cas_##type##_##order, type, place, \
         x.compare_exchange(found, value + 1, memory_order::order))

#define LOADS_AND_STORES(type, place) \
  LOAD(type, relaxed, place)          \
  LOAD(type, acquire, place)          \
  LOAD(type, seq_cst, place)          \
  STORE(type, relaxed, place)         \
  STORE(type, release, place)         \
  STORE(type, seq_cst, place)
#define EACH_ORDER(type, place)                \
  CAS(type, relaxed, place)                    \
  CAS(type, acquire, place)                    \
  CAS(type, release, place)                    \
  CAS(type, acq_rel, place)                    \
  CAS(type, seq_cst, place)                    \
  MODIFY(exch, exchange, type, acquire, place) \
  MODIFY(add, fetch_add, type, release, place) \
  MODIFY(max, fetch_max, type, acq_rel, place)
#define EACH_OPERATION(type, place)            \
  EACH_ORDER(type, place)                      \
  MODIFY(and, fetch_and, type, relaxed, place) \
  MODIFY(or, fetch_or, type, relaxed, place)   \
  MODIFY(xor, fetch_xor, type, relaxed, place) \
  MODIFY(min, fetch_min, type, relaxed, place)

#define FENCE(order, reach)                                       \
  extern "C" __global__ void fence_##order##_##reach(u32* data) { \
    assume_one_dimension();                                       \
    data[0] = 1;                                                  \
    fence<memory_order::order, scope::reach>();                   \
    data[1] = 1;                                                  \
  }
#define FENCES(reach)   \
  FENCE(acquire, reach) \
  FENCE(release, reach) \
  FENCE(acq_rel, reach) \
  FENCE(seq_cst, reach)

LOADS_AND_STORES(u32, device_memory)
LOADS_AND_STORES(u64, device_memory)
EACH_OPERATION(u32, device_memory)
EACH_OPERATION(u64, device_memory)
using f32 = float;
using f64 = double;
using boolean = bool;
#define EACH_VALUE(type)                               \
  LOADS_AND_STORES(type, device_memory)                \
  CAS(type, acq_rel, device_memory)                    \
  MODIFY(exch, exchange, type, acquire, device_memory) \
  MODIFY(add, fetch_add, type, relaxed, device_memory) \
  MODIFY(add, fetch_add, type, acquire, device_memory) \
  MODIFY(add, fetch_add, type, release, device_memory) \
  MODIFY(add, fetch_add, type, seq_cst, device_memory)
EACH_VALUE(f32)
EACH_VALUE(f64)
LOADS_AND_STORES(boolean, device_memory)
LOADS_AND_STORES(u32, own_block)
LOADS_AND_STORES(u64, own_block)
EACH_OPERATION(u32, own_block)
EACH_OPERATION(u64, own_block)
LOADS_AND_STORES(u32, cluster)
LOADS_AND_STORES(u64, cluster)
LOADS_AND_STORES(u32, own_part)
LOADS_AND_STORES(u64, own_part)
EACH_OPERATION(u32, cluster)
EACH_OPERATION(u32, own_part)
FENCES(block)
FENCES(cluster)
FENCES(device)
FENCES(system)

extern "C" __global__ void cluster_sync_relaxed(u32* data) {
  assume_one_dimension();
  data[0] = 1;
  cluster_sync<memory_order::relaxed>();
  data[1] = 1;
}
extern "C" __global__ void cluster_sync_acq_rel(u32* data) {
  assume_one_dimension();
  data[0] = 1;
  cluster_sync<memory_order::acq_rel>();
  data[1] = 1;
}
