// SPDX-License-Identifier: Apache-2.0
// What copies and memsets may touch: memory that is in use, on the sides that they say. What is
// wrong is reported, and refused as CUDA refuses it.
#pragma once

#include <cudart/abi.hpp>
#include <cudart/per_thread.hpp>

#include <cstddef>

namespace cudart {

/// How an operation is called and ordered.
struct call {
  const char* function;
  const void* from;  ///< where the program calls it
  cudaStream_t stream = nullptr;
  bool is_asynchronous = false;
};

/// Rows of bytes that are written, and those that are read, null if none are.
struct rows {
  void* to;
  std::size_t to_pitch;
  const void* from;
  std::size_t from_pitch;
  std::size_t width;
  std::size_t count;
  int kind = cudaMemcpyDefault;
  const void* to_variable = nullptr;  ///< that holds all that is written; null: none need
  const void* from_variable = nullptr;
};

/// As in cudaPointerAttributes. On the device's OS thread.
int type_of(const void* pointer);

/// Moves the rows. There is at least one byte to move. If source and target overlap, that is
/// reported, and the bytes are moved all the same.
/// \return cudaSuccess, or an error that has been reported. Then nothing has been moved, except
/// what comes before the first address that the program does not have
cudaError_t checked_move(const call& how, const rows& what);

/// Checks whether the rows may be set. There is at least one byte to set. \return as checked_move()
cudaError_t checked_memset(const call& how, const rows& what);

/// Notes a copy or a memset, on the device's OS thread. The host waits for the end of those that
/// concern its memory, unless they are asynchronous ("API synchronization behavior" of CUDA's
/// manual).
void note_there(const call& how, cudaStream_t in, const rows& what);

}  // namespace cudart

// A call's place is that of the function that programs call.
#define FINESYNC_CALL(...) \
  { __func__, cudart::place_of_call(__builtin_return_address(0)) __VA_OPT__(, ) __VA_ARGS__ }
