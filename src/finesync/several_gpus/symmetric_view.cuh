// SPDX-License-Identifier: Apache-2.0
// Symmetric memory: a piece on each GPU, of one size and layout. A kernel names a place in it by a
// GPU and an offset. The piece of the kernel's own GPU is near, the others are across the link.
#pragma once

#include "finesync/device/cell.cuh"
#include "finesync/device/platform.cuh"

#include <cstddef>
#include <cstdint>

namespace finesync::inline FINESYNC_ABI {

/// What a kernel knows of it; trivially copyable, passed by value. The memory may belong to one
/// process, or to one per GPU: addresses differ between processes, offsets do not.
struct symmetric_view {
  static constexpr unsigned most = 8;

  std::byte* base[most];  ///< the piece of each GPU, as this kernel reaches it
  unsigned me;            ///< the kernel's own GPU
  unsigned n;             ///< GPUs

  /// \param offset in bytes.
  template <class Type>
  __device__ cell<Type>& at(unsigned gpu, std::size_t offset) const {
    return *reinterpret_cast<cell<Type>*>(base[gpu] + offset);
  }

  /// An element of an array that is dealt to the GPUs in turns: element e is on GPU e mod n.
  /// \param stride bytes from one element of a GPU to its next.
  template <class Type>
  __device__ Type& dealt(std::uint32_t element, std::size_t stride) const {
    return *reinterpret_cast<Type*>(base[element % n] + element / n * stride);
  }
};

/// How many elements of such an array are on a GPU.
__host__ __device__ constexpr std::uint32_t dealt_to(unsigned gpu, unsigned gpus,
                                                     std::uint32_t elements) {
  return (elements + gpus - 1 - gpu) / gpus;
}

}  // namespace finesync::inline FINESYNC_ABI
