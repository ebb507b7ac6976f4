// Many locks side by side, as a hash table or a graph needs them.
#pragma once

#include "finesync/device/buffer.cuh"
#include "finesync/device/cell.cuh"
#include "finesync/device/memory_model.cuh"

#include <cstddef>

namespace finesync {

/// How far apart the locks of a table lie.
enum class lock_spacing {
  packed,  ///< as close as their size allows: neighbours share a line
  padded,  ///< each on lines of its own
};

/// The kernel's side; trivially copyable, passed by value.
template <class Lock>
class lock_table_ref {
 public:
  lock_table_ref(unsigned char* first, std::size_t stride) : first_(first), stride_(stride) {}

  __device__ Lock operator[](std::size_t index) const {
    return Lock(*reinterpret_cast<typename Lock::state*>(first_ + index * stride_));
  }

 private:
  unsigned char* first_;
  std::size_t stride_;
};

/// Owns `count` free locks in device memory.
template <class Lock>
class lock_table {
 public:
  /// \throws std::bad_alloc when device memory is used up.
  lock_table(std::size_t count, lock_spacing spacing)
      : stride_(stride_of(spacing)), bytes_(count * stride_) {
    reset();
  }

  /// Frees all locks, whoever holds them.
  void reset() { bytes_.fill_bytes(0); }

  lock_table_ref<Lock> ref() const { return {bytes_.template as<unsigned char>(), stride_}; }

  /// Bytes from one lock to the next.
  static constexpr std::size_t stride_of(lock_spacing spacing) {
    constexpr std::size_t size = sizeof(typename Lock::state);
    return spacing == lock_spacing::packed ? size
                                           : (size + line_bytes - 1) / line_bytes * line_bytes;
  }

 private:
  std::size_t stride_;
  buffer<unsigned char> bytes_;
};

}  // namespace finesync
