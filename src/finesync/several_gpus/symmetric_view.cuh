// Symmetric memory: a piece on each GPU, of one size and layout. A kernel names a place in it by a
// GPU and an offset. The piece of the kernel's own GPU is near, the others are across the link.
#pragma once

#include "finesync/device/cell.cuh"
#include "finesync/device/platform.cuh"

#include <cstddef>

namespace finesync::inline FINESYNC_ABI {

/// What a kernel knows of it; trivially copyable, passed by value. The memory may belong to one
/// process, or to one per GPU: addresses differ between processes, offsets do not.
struct symmetric_view {
  static constexpr unsigned most = 8;

  std::byte* base[most];  ///< the piece of each GPU, as this kernel reaches it
  unsigned me;            ///< the kernel's own GPU
  unsigned n;             ///< GPUs

  /// \param offset in bytes.
  template <class T>
  __device__ cell<T>& at(unsigned gpu, std::size_t offset) const {
    return *reinterpret_cast<cell<T>*>(base[gpu] + offset);
  }
};

}  // namespace finesync::inline FINESYNC_ABI
