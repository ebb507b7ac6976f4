// SPDX-License-Identifier: Apache-2.0
// Names of CUDA C++ that kernels use, so that they compile as plain C++ on the host executor:
// function qualifiers, built-in variables, and the intrinsics of warps and blocks with their CUDA
// signatures and meaning (CUDA C++ Programming Guide, "C++ Language Extensions").
#pragma once

#include <simt/device_api.hpp>

#include <bit>
#include <cstdint>
#include <cstring>
#include <type_traits>

#define __global__
#define __device__
#define __host__
#define __forceinline__ inline __attribute__((always_inline))
#define __launch_bounds__(...)
#define __maxnreg__(count)
/// An error in one line where a kernel declares a variable in CUDA's way.
#define __shared__ \
  _Pragma(         \
      "GCC error \"the host executor has no __shared__: use finesync's shared_storage<Type>()\"")
#define __constant__ \
  _Pragma("GCC error \"the host executor has no __constant__: pass a kernel parameter\"")
#define __managed__ \
  _Pragma("GCC error \"the host executor has no __managed__: use finesync's buffer<Type>\"")

struct dim3 {
  unsigned x, y, z;
  constexpr dim3(unsigned x_ = 1, unsigned y_ = 1, unsigned z_ = 1) : x(x_), y(y_), z(z_) {}
};

namespace simt {

// Always inlined: tests are compiled with few optimizations, and each call would be a basic block.

__forceinline__ coordinates thread_index() {
  return current->index;
}
__forceinline__ coordinates block_index() {
  return current->block->index;
}

template <class Type>
__forceinline__ word to_word(const Type& value) {
  static_assert(std::is_trivially_copyable_v<Type> && sizeof(Type) <= sizeof(word));
  word packed;
  std::memcpy(static_cast<void*>(&packed), &value, sizeof(Type));
  return packed;
}

template <class Type>
__forceinline__ Type from_word(const word& packed) {
  Type value;
  std::memcpy(static_cast<void*>(&value), &packed, sizeof(Type));
  return value;
}

/// `source` relative to the lane's segment of `width` lanes, or the lane itself if out of range.
template <class Type>
__forceinline__ Type shuffle(unsigned mask, const Type& value, int source, bool in_range) {
  const unsigned lane = in_range ? static_cast<unsigned>(source) : current->lane;
  return from_word<Type>(warp_collective(collective::shuffle, mask, to_word(value), lane));
}

}  // namespace simt

// Macros, so that a component is an unsigned number in templates too.
#define threadIdx (::simt::thread_index())
#define blockIdx (::simt::block_index())
#define blockDim (::simt::block_threads())
#define gridDim (::simt::grid_blocks())
inline constexpr int warpSize = static_cast<int>(simt::warp_size);

// All of these are always inlined: reports name the line of the call, and the executor tells apart
// places of the kernel by it.
__forceinline__ void __syncthreads() {
  simt::block_barrier();
}
__forceinline__ int __syncthreads_or(int predicate) {
  return simt::block_barrier(predicate != 0) != 0;
}

__forceinline__ void __syncwarp(unsigned mask = 0xffffffffu) {
  simt::warp_collective(simt::collective::sync, mask);
}
__forceinline__ unsigned __activemask() {
  return simt::converged_lanes();
}
__forceinline__ unsigned __ballot_sync(unsigned mask, int predicate) {
  return static_cast<unsigned>(
      simt::warp_collective(simt::collective::ballot, mask, {predicate != 0, 0}).low);
}
__forceinline__ int __any_sync(unsigned mask, int predicate) {
  return __ballot_sync(mask, predicate) != 0;
}
__forceinline__ int __all_sync(unsigned mask, int predicate) {
  return __ballot_sync(mask, predicate) == mask;
}
template <class Type>
__forceinline__ unsigned __match_any_sync(unsigned mask, Type value) {
  return static_cast<unsigned>(
      simt::warp_collective(simt::collective::match, mask, simt::to_word(value)).low);
}
template <class Type>
__forceinline__ unsigned __match_all_sync(unsigned mask, Type value, int* same) {
  *same = __match_any_sync(mask, value) == mask;
  return *same != 0 ? mask : 0;
}
template <class Type>
__forceinline__ Type __shfl_sync(unsigned mask, Type value, int source, int width = warpSize) {
  const int segment = static_cast<int>(simt::current->lane) / width * width;
  return simt::shuffle(mask, value, segment + (source & (width - 1)), true);
}
template <class Type>
__forceinline__ Type __shfl_up_sync(unsigned mask, Type value, unsigned delta,
                                    int width = warpSize) {
  const int lane = static_cast<int>(simt::current->lane);
  const int source = lane - static_cast<int>(delta);
  return simt::shuffle(mask, value, source, source >= lane / width * width);
}
template <class Type>
__forceinline__ Type __shfl_down_sync(unsigned mask, Type value, unsigned delta,
                                      int width = warpSize) {
  const int lane = static_cast<int>(simt::current->lane);
  const int source = lane + static_cast<int>(delta);
  return simt::shuffle(mask, value, source, source < lane / width * width + width);
}
template <class Type>
__forceinline__ Type __shfl_xor_sync(unsigned mask, Type value, int bits, int width = warpSize) {
  const int lane = static_cast<int>(simt::current->lane);
  const int source = lane ^ bits;
  return simt::shuffle(mask, value, source, source < lane / width * width + width);
}

inline int __popc(unsigned value) {
  return std::popcount(value);
}
inline int __clz(int value) {
  return std::countl_zero(static_cast<unsigned>(value));
}
inline int __ffs(int value) {
  return value == 0 ? 0 : std::countr_zero(static_cast<unsigned>(value)) + 1;
}
inline unsigned __umulhi(unsigned a, unsigned b) {
  return static_cast<unsigned>((std::uint64_t{a} * b) >> 32);
}
/// A load of memory that no kernel writes; the hint, that it is read once, means nothing here.
template <class Type>
Type __ldcs(const Type* address) {
  return *address;
}
