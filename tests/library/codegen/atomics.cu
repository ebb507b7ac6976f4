// Single accesses, fences and messages: every operation with each valid order, each width, and each
// scope, that of the block also on a word of shared memory; min and max also signed. check_ptx.py
// knows a kernel's PTX by its name.
#include <finesync/device/atomic_ref.cuh>
#include <finesync/device/fence.cuh>
#include <finesync/device/ptx/message_128.cuh>
#include <finesync/device/shared_storage.cuh>

#include <cstdint>

namespace {

using namespace finesync;

using u32 = std::uint32_t;
using s32 = std::int32_t;
using u64 = std::uint64_t;
using s64 = std::int64_t;

// The word of a kernel by the last part of its name.
template <class T>
__device__ atomic_ref<T, scope::system> word_system(cell<T>* x) {
  return atomic_ref<T, scope::system>(*x);
}
template <class T>
__device__ atomic_ref<T, scope::device> word_device(cell<T>* x) {
  return atomic_ref<T, scope::device>(*x);
}
template <class T>
__device__ atomic_ref<T, scope::block> word_block(cell<T>* x) {
  return atomic_ref<T, scope::block>(*x);
}
template <class T>
__device__ atomic_ref<T, scope::block> word_shared(cell<T>*) {
  return atomic_ref<T, scope::block>(shared_storage<cell<T>>());
}

}  // namespace

#define KERNEL(operation, type, order, reach) \
  extern "C" __global__ void operation##_##type##_##order##_##reach(cell<type>* x, type* data)
#define LOAD(operation, type, order, reach)              \
  KERNEL(operation, type, order, reach) {                \
    data[0] = word_##reach(x).load(memory_order::order); \
  }
#define STORE(operation, type, order, reach)             \
  KERNEL(operation, type, order, reach) {                \
    word_##reach(x).store(data[1], memory_order::order); \
  }
#define MODIFY(operation, type, order, reach)                          \
  KERNEL(operation, type, order, reach) {                              \
    data[0] = word_##reach(x).operation(data[1], memory_order::order); \
  }
#define COMPARE(operation, type, order, reach)                                                     \
  KERNEL(operation, type, order, reach) {                                                          \
    type expected = data[1];                                                                       \
    const bool success = word_##reach(x).compare_exchange(expected, data[2], memory_order::order); \
    data[0] = success ? 1 : expected;                                                              \
  }
#define FENCE(order, reach)                                       \
  extern "C" __global__ void fence_##order##_##reach(u32* data) { \
    data[0] = 1;                                                  \
    fence<memory_order::order, scope::reach>();                   \
    data[1] = 1;                                                  \
  }

#define EACH_SCOPE(kernel, ...) \
  kernel(__VA_ARGS__, system) kernel(__VA_ARGS__, device) kernel(__VA_ARGS__, block)
#define EACH_REACH(kernel, ...)   \
  EACH_SCOPE(kernel, __VA_ARGS__) \
  kernel(__VA_ARGS__, shared)
#define EACH_ORDER(kernel, ...)            \
  EACH_REACH(kernel, __VA_ARGS__, relaxed) \
  EACH_REACH(kernel, __VA_ARGS__, acquire) \
  EACH_REACH(kernel, __VA_ARGS__, release) \
  EACH_REACH(kernel, __VA_ARGS__, acq_rel) \
  EACH_REACH(kernel, __VA_ARGS__, seq_cst)
#define EACH_OPERATION(type)                  \
  EACH_REACH(LOAD, load, type, relaxed)       \
  EACH_REACH(LOAD, load, type, acquire)       \
  EACH_REACH(LOAD, load, type, seq_cst)       \
  EACH_REACH(STORE, store, type, relaxed)     \
  EACH_REACH(STORE, store, type, release)     \
  EACH_REACH(STORE, store, type, seq_cst)     \
  EACH_ORDER(MODIFY, exchange, type)          \
  EACH_ORDER(COMPARE, compare_exchange, type) \
  EACH_ORDER(MODIFY, fetch_add, type)         \
  EACH_ORDER(MODIFY, fetch_and, type)         \
  EACH_ORDER(MODIFY, fetch_or, type)          \
  EACH_ORDER(MODIFY, fetch_xor, type)         \
  EACH_EXTREME(type)
#define EACH_EXTREME(type)            \
  EACH_ORDER(MODIFY, fetch_min, type) \
  EACH_ORDER(MODIFY, fetch_max, type)

EACH_OPERATION(u32)
EACH_OPERATION(u64)
EACH_EXTREME(s32)
EACH_EXTREME(s64)
EACH_SCOPE(FENCE, acquire)
EACH_SCOPE(FENCE, release)
EACH_SCOPE(FENCE, acq_rel)
EACH_SCOPE(FENCE, seq_cst)

extern "C" __global__ void message_load(cell<message_128>* slot, message_128* data) {
  *data = begin_load_message(*slot);
}

extern "C" __global__ void message_store(cell<message_128>* slot, u64* data) {
  store_message(*slot, {data[0], data[1]});
}
