// The kernels of atomics_finesync.cu in inline PTX: one instruction each, after a full fence if it
// is sequentially consistent.
#include <cstdint>

namespace {

using u32 = std::uint32_t;
using s32 = std::int32_t;
using u64 = std::uint64_t;
using s64 = std::int64_t;

struct alignas(16) message_128 {
  u64 low;
  u64 high;
};

}  // namespace

// The PTX spelling of the parts of a kernel's name.
#define REACH_system ".sys"
#define REACH_device ".gpu"
#define REACH_block ".cta"

#define BITS_u32 ".b32"
#define BITS_u64 ".b64"
#define TYPE_u32 ".u32"
#define TYPE_u64 ".u64"
#define TYPE_s32 ".s32"
#define TYPE_s64 ".s64"
#define REGISTER_u32 "r"
#define REGISTER_u64 "l"
#define REGISTER_s32 "r"
#define REGISTER_s64 "l"

#define LOAD_relaxed ".relaxed"
#define LOAD_acquire ".acquire"
#define LOAD_seq_cst ".acquire"
#define STORE_relaxed ".relaxed"
#define STORE_release ".release"
#define STORE_seq_cst ".relaxed"
#define ATOM_relaxed ".relaxed"
#define ATOM_acquire ".acquire"
#define ATOM_release ".release"
#define ATOM_acq_rel ".acq_rel"
#define ATOM_seq_cst ".acquire"

#define FULL_FENCE_BEFORE_relaxed(reach)
#define FULL_FENCE_BEFORE_acquire(reach)
#define FULL_FENCE_BEFORE_release(reach)
#define FULL_FENCE_BEFORE_acq_rel(reach)
#define FULL_FENCE_BEFORE_seq_cst(reach) asm volatile("fence.sc" REACH_##reach ";" ::: "memory");

// One-directional fences need PTX ISA 8.6 (CUDA 12.7) and sm_90 or later.
#if __CUDA_ARCH__ >= 900 && \
    (__CUDACC_VER_MAJOR__ > 12 || (__CUDACC_VER_MAJOR__ == 12 && __CUDACC_VER_MINOR__ >= 7))
#define FENCE_acquire_system ".acquire.sys"
#define FENCE_release_system ".release.sys"
#define FENCE_acquire_device ".acquire.gpu"
#define FENCE_release_device ".release.gpu"
#else
#define FENCE_acquire_system ".acq_rel.sys"
#define FENCE_release_system ".acq_rel.sys"
#define FENCE_acquire_device ".acq_rel.gpu"
#define FENCE_release_device ".acq_rel.gpu"
#endif
#define FENCE_acquire_block ".acq_rel.cta"
#define FENCE_release_block ".acq_rel.cta"
#define FENCE_acq_rel_system ".acq_rel.sys"
#define FENCE_acq_rel_device ".acq_rel.gpu"
#define FENCE_acq_rel_block ".acq_rel.cta"
#define FENCE_seq_cst_system ".sc.sys"
#define FENCE_seq_cst_device ".sc.gpu"
#define FENCE_seq_cst_block ".sc.cta"

#define LOAD(type, order, reach)                                                              \
  extern "C" __global__ void load_##type##_##order##_##reach(type* x, type* data) {           \
    type found;                                                                               \
    FULL_FENCE_BEFORE_##order(reach) asm volatile("ld" LOAD_##order REACH_##reach BITS_##type \
                                                  " %0, [%1];"                                \
                                                  : "=" REGISTER_##type(found)                \
                                                  : "l"(x)                                    \
                                                  : "memory");                                \
    data[0] = found;                                                                          \
  }
#define STORE(type, order, reach)                                                                  \
  extern "C" __global__ void store_##type##_##order##_##reach(type* x, type* data) {               \
    const type value = data[1];                                                                    \
    FULL_FENCE_BEFORE_##order(reach) asm volatile(                                                 \
        "st" STORE_##order REACH_##reach BITS_##type " [%0], %1;" ::"l"(x), REGISTER_##type(value) \
        : "memory");                                                                               \
  }
#define READ_MODIFY_WRITE(name, operation, ptx_type, type, order, reach)              \
  extern "C" __global__ void name##_##type##_##order##_##reach(type* x, type* data) { \
    const type value = data[1];                                                       \
    type found;                                                                       \
    FULL_FENCE_BEFORE_##order(reach) asm volatile(                                    \
        "atom." operation ATOM_##order REACH_##reach ptx_type " %0, [%1], %2;"        \
        : "=" REGISTER_##type(found)                                                  \
        : "l"(x), REGISTER_##type(value)                                              \
        : "memory");                                                                  \
    data[0] = found;                                                                  \
  }
#define EXCHANGE(type, ...) READ_MODIFY_WRITE(exchange, "exch", BITS_##type, type, __VA_ARGS__)
#define FETCH_ADD(type, ...) READ_MODIFY_WRITE(fetch_add, "add", TYPE_##type, type, __VA_ARGS__)
#define FETCH_AND(type, ...) READ_MODIFY_WRITE(fetch_and, "and", BITS_##type, type, __VA_ARGS__)
#define FETCH_OR(type, ...) READ_MODIFY_WRITE(fetch_or, "or", BITS_##type, type, __VA_ARGS__)
#define FETCH_XOR(type, ...) READ_MODIFY_WRITE(fetch_xor, "xor", BITS_##type, type, __VA_ARGS__)
#define FETCH_MIN(type, ...) READ_MODIFY_WRITE(fetch_min, "min", TYPE_##type, type, __VA_ARGS__)
#define FETCH_MAX(type, ...) READ_MODIFY_WRITE(fetch_max, "max", TYPE_##type, type, __VA_ARGS__)
#define COMPARE_EXCHANGE(type, order, reach)                                                    \
  extern "C" __global__ void compare_exchange_##type##_##order##_##reach(type* x, type* data) { \
    const type expected = data[1];                                                              \
    const type desired = data[2];                                                               \
    type found;                                                                                 \
    FULL_FENCE_BEFORE_##order(reach) asm volatile(                                              \
        "atom.cas" ATOM_##order REACH_##reach BITS_##type " %0, [%1], %2, %3;"                  \
        : "=" REGISTER_##type(found)                                                            \
        : "l"(x), REGISTER_##type(expected), REGISTER_##type(desired)                           \
        : "memory");                                                                            \
    data[0] = found == expected ? 1 : found;                                                    \
  }
#define FENCE(order, reach)                                         \
  extern "C" __global__ void fence_##order##_##reach(u32* data) {   \
    data[0] = 1;                                                    \
    asm volatile("fence" FENCE_##order##_##reach ";" ::: "memory"); \
    data[1] = 1;                                                    \
  }
#include "atomics.inc"

extern "C" __global__ void message_load(message_128* slot, message_128* data) {
  u64 low;
  u64 high;
  asm volatile(
      "{\n\t"
      ".reg .b128 both;\n\t"
      "ld.relaxed.gpu.b128 both, [%2];\n\t"
      "mov.b128 {%0, %1}, both;\n\t"
      "}"
      : "=l"(low), "=l"(high)
      : "l"(slot)
      : "memory");
  *data = {low, high};
}

extern "C" __global__ void message_store(message_128* slot, u64* data) {
  const u64 low = data[0];
  const u64 high = data[1];
  asm volatile(
      "{\n\t"
      ".reg .b128 both;\n\t"
      "mov.b128 both, {%1, %2};\n\t"
      "st.relaxed.gpu.b128 [%0], both;\n\t"
      "}"
      :
      : "l"(slot), "l"(low), "l"(high)
      : "memory");
}
