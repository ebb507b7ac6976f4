// Device memory with an owner. Host side.
#pragma once

#include "finesync/device/error.cuh"

#include <cstddef>
#include <new>
#include <span>
#include <stdexcept>
#include <type_traits>
#include <utility>
#include <vector>

#ifdef FINESYNC_HOST_EXECUTOR
#include <simt/arena.hpp>

#include <cstring>
#endif

namespace finesync {

namespace detail {

#ifdef FINESYNC_HOST_EXECUTOR

inline void* device_allocate(std::size_t bytes) {
  return simt::global_memory().allocate(bytes);
}
inline void device_free(void* memory) noexcept {
  simt::global_memory().release(memory);
}
inline void device_fill(void* memory, int byte, std::size_t bytes) {
  std::memset(memory, byte, bytes);
}
inline void device_copy(void* to, const void* from, std::size_t bytes) {
  std::memcpy(to, from, bytes);
}

#else

inline void* device_allocate(std::size_t bytes) {
  void* memory = nullptr;
  const cudaError_t status = cudaMalloc(&memory, bytes);
  if (status == cudaErrorMemoryAllocation) {
    cudaGetLastError();
    throw std::bad_alloc();
  }
  check_cuda(status);
  return memory;
}
// Destructors must not throw; a failing cudaFree shows at the next checked call.
inline void device_free(void* memory) noexcept {
  cudaFree(memory);
}
inline void device_fill(void* memory, int byte, std::size_t bytes) {
  check_cuda(cudaMemset(memory, byte, bytes));
}
inline void device_copy(void* to, const void* from, std::size_t bytes) {
  check_cuda(cudaMemcpy(to, from, bytes, cudaMemcpyDefault));
}

#endif

}  // namespace detail

/// `size` elements of T in device memory, uninitialized. Movable, not copyable. Pass data() to
/// kernels that take a cell<T>*. All calls are in order with the kernels of the default stream.
template <class T>
class buffer {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  buffer() = default;
  /// \throws std::bad_alloc when device memory is used up.
  explicit buffer(std::size_t size)
      : data_(size == 0 ? nullptr : static_cast<T*>(detail::device_allocate(size * sizeof(T)))),
        size_(size) {}
  ~buffer() {
    if (data_ != nullptr) detail::device_free(data_);
  }
  buffer(buffer&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}
  buffer& operator=(buffer&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    return *this;
  }

  std::size_t size() const { return size_; }

  /// The elements for a kernel: `Cell` is cell<T> (or T for data that no two threads share).
  template <class Cell>
  Cell* as() const {
    static_assert(sizeof(Cell) == sizeof(T));
    return reinterpret_cast<Cell*>(data_);
  }

  /// Sets every byte.
  void fill_bytes(int byte) {
    if (size_ > 0) detail::device_fill(data_, byte, size_ * sizeof(T));
  }

  /// \throws std::out_of_range unless `from` has this buffer's size.
  void copy_from(std::span<const T> from) {
    if (from.size() != size_) throw std::out_of_range("buffer::copy_from: sizes differ");
    if (size_ > 0) detail::device_copy(data_, from.data(), size_ * sizeof(T));
  }

  std::vector<T> to_host() const {
    std::vector<T> copy(size_);
    if (size_ > 0) detail::device_copy(copy.data(), data_, size_ * sizeof(T));
    return copy;
  }

 private:
  T* data_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace finesync
