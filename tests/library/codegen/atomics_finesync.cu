// Single accesses, fences and messages of finesync. Each kernel has a counterpart in
// atomics_by_hand.cu.
#include <finesync/device/atomic_ref.cuh>
#include <finesync/device/fence.cuh>
#include <finesync/device/ptx/message_128.cuh>

#include <cstdint>

namespace {

using namespace finesync;

using u32 = std::uint32_t;
using s32 = std::int32_t;
using u64 = std::uint64_t;
using s64 = std::int64_t;

}  // namespace

#define LOAD(type, order, reach)                                                          \
  extern "C" __global__ void load_##type##_##order##_##reach(cell<type>* x, type* data) { \
    data[0] = atomic_ref<type, scope::reach>(*x).load(memory_order::order);               \
  }
#define STORE(type, order, reach)                                                          \
  extern "C" __global__ void store_##type##_##order##_##reach(cell<type>* x, type* data) { \
    atomic_ref<type, scope::reach>(*x).store(data[1], memory_order::order);                \
  }
#define READ_MODIFY_WRITE(operation, type, order, reach)                                         \
  extern "C" __global__ void operation##_##type##_##order##_##reach(cell<type>* x, type* data) { \
    data[0] = atomic_ref<type, scope::reach>(*x).operation(data[1], memory_order::order);        \
  }
#define EXCHANGE(...) READ_MODIFY_WRITE(exchange, __VA_ARGS__)
#define FETCH_ADD(...) READ_MODIFY_WRITE(fetch_add, __VA_ARGS__)
#define FETCH_AND(...) READ_MODIFY_WRITE(fetch_and, __VA_ARGS__)
#define FETCH_OR(...) READ_MODIFY_WRITE(fetch_or, __VA_ARGS__)
#define FETCH_XOR(...) READ_MODIFY_WRITE(fetch_xor, __VA_ARGS__)
#define FETCH_MIN(...) READ_MODIFY_WRITE(fetch_min, __VA_ARGS__)
#define FETCH_MAX(...) READ_MODIFY_WRITE(fetch_max, __VA_ARGS__)
#define COMPARE_EXCHANGE(type, order, reach)                                                       \
  extern "C" __global__ void compare_exchange_##type##_##order##_##reach(cell<type>* x,            \
                                                                         type* data) {             \
    type expected = data[1];                                                                       \
    const bool success = atomic_ref<type, scope::reach>(*x).compare_exchange(expected, data[2],    \
                                                                             memory_order::order); \
    data[0] = success ? 1 : expected;                                                              \
  }
#define FENCE(order, reach)                                       \
  extern "C" __global__ void fence_##order##_##reach(u32* data) { \
    data[0] = 1;                                                  \
    fence<memory_order::order, scope::reach>();                   \
    data[1] = 1;                                                  \
  }
#include "atomics.inc"

extern "C" __global__ void message_load(cell<message_128>* slot, message_128* data) {
  *data = begin_load_message(*slot);
}

extern "C" __global__ void message_store(cell<message_128>* slot, u64* data) {
  store_message(*slot, {data[0], data[1]});
}
