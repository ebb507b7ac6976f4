// A list in device memory that threads append to, one atomic addition each.
#pragma once

#include <finesync/device/atomic_ref.cuh>
#include <finesync/device/cell.cuh>
#include <finesync/host/buffer.cuh>

#include <cstddef>
#include <cstdint>

namespace finesync::mst {

/// The device side; trivially copyable. Appended in one launch, read in the next.
struct append_list_ref {
  cell<std::uint32_t>* items;
  cell<std::uint32_t>* size;

  __device__ void push(std::uint32_t item) const {
    const atomic_ref<std::uint32_t, scope::device> end(*size);
    items[end.fetch_add(1, memory_order::relaxed)] = item;
  }
};

/// The host's side.
class append_list {
 public:
  explicit append_list(std::size_t capacity) : items_(capacity), size_(1) {}

  append_list_ref ref() const { return {items_.device_data(), size_.device_data()}; }
  void clear() { size_.fill_bytes(0); }
  /// Waits for the stream.
  std::uint32_t size() const {
    std::uint32_t size = 0;
    size_.copy_to({&size, 1});
    return size;
  }

 private:
  buffer<std::uint32_t> items_;
  buffer<std::uint32_t> size_;
};

}  // namespace finesync::mst
