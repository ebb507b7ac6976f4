// SPDX-License-Identifier: Apache-2.0
// Device memory with an owner. Host side.
#pragma once

#include "finesync/device/cell.cuh"
#include "finesync/host/error.cuh"
#include "finesync/host/owner_label.hpp"
#include "finesync/host/scratch.cuh"
#include "finesync/host/stream.cuh"

#ifdef FINESYNC_HOST_EXECUTOR
#include "finesync/host/executor/memory.cuh"
#else
#include "finesync/host/cuda/memory.cuh"
#endif

#include <concepts>
#include <cstddef>
#include <new>
#include <set>
#include <span>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace finesync::inline FINESYNC_ABI {

/// Where an owner's memory is used, and what reports call the owner: a stream, a name ("scale"), or
/// both ({"scale", on}).
struct placement : stream {
  placement(const stream& on = {}) : stream(on) {}
  placement(const char* called, const stream& on = {}) : stream(on), name(called) {}
  template <std::convertible_to<stream> Stream>
  placement(const Stream& on) : stream(on) {}

  const char* name = "";  ///< is copied by owners
};

/// Before several allocations, so that what cannot be does not first take its time.
/// \throws device_memory_error, with the size that fits, unless this many bytes are free.
inline void require_device_memory(std::size_t bytes) {
  detail::require_free(bytes);
}

namespace detail {

/// Device memory, used in the stream that each call names.
class device_memory {
 public:
  device_memory() = default;
  device_memory(std::size_t bytes, const stream& on, const memory_label& label)
      : bytes_(bytes), device_(on.device()) {
    const device_guard here(device_);
    if (bytes == 0) return;
    memory_ = device_allocate(bytes, label);
    live_memory::of_process().add(memory_, bytes, device_, label.owner);
  }
  /// Memory of another owner.
  device_memory(void* memory, std::size_t bytes, const stream& on)
      : memory_(memory), bytes_(bytes), device_(on.device()), borrowed_(true) {}
  ~device_memory() {
    if (memory_ == nullptr || borrowed_) return;
    live_memory::of_process().remove(memory_);
    device_free(memory_);
  }
  device_memory(device_memory&& other) noexcept
      : memory_(std::exchange(other.memory_, nullptr)),
        bytes_(std::exchange(other.bytes_, 0)),
        device_(other.device_),
        borrowed_(other.borrowed_) {}
  device_memory& operator=(device_memory&& other) noexcept {
    std::swap(memory_, other.memory_);
    std::swap(bytes_, other.bytes_);
    std::swap(device_, other.device_);
    std::swap(borrowed_, other.borrowed_);
    return *this;
  }

  void* get() const { return memory_; }
  std::size_t bytes() const { return bytes_; }
  void keep() const { live_memory::of_process().keep(memory_); }

  void fill(int byte, const stream& on) {
    if (bytes_ == 0) return;
    const device_guard here(checked(on));
    device_fill(memory_, byte, bytes_, on);
  }
  void copy_from(const void* host, const stream& on) {
    if (bytes_ == 0) return;
    const device_guard here(checked(on));
    device_copy(memory_, host, bytes_, on);
  }
  void copy_to(void* host, const stream& on) const { copy_to(host, bytes_, on); }
  /// The first bytes.
  void copy_to(void* host, std::size_t bytes, const stream& on) const {
    if (bytes == 0) return;
    const device_guard here(checked(on));
    device_copy(host, memory_, bytes, on);
  }

 private:
  int checked(const stream& on) const {
    if (on.device() == device_) return device_;
    throw std::invalid_argument("memory of device " + std::to_string(device_) +
                                " is used in a stream of device " + std::to_string(on.device()));
  }

  void* memory_ = nullptr;
  std::size_t bytes_ = 0;
  int device_ = 0;
  bool borrowed_ = false;
};

}  // namespace detail

/// Fills the memory of all buffers and states that the calling thread has made, but those that are
/// kept, and waits for it. A reset() and a run that follow must then set all that the run reads: a
/// word that is forgotten no longer has a right value of the run before. The bytes, all alike,
/// differ from run to run; as a number they are large, of any type.
inline void poison_scratch(unsigned run) {
  constexpr unsigned least = 0x71;
  constexpr unsigned patterns = 13;
  const int byte = static_cast<int>(least + run % patterns);
  std::set<int> devices;
  detail::live_memory::of_process().each_scratch([&](void* memory, std::size_t bytes, int device) {
    const device_guard here(device);
    detail::device_fill(memory, byte, bytes, {});
    devices.insert(device);
  });
  for (const int device : devices) {
    const device_guard here(device);
    stream().synchronize();
  }
}

/// `size` elements of Type in a device's memory, uninitialized. Movable, not copyable.
///
/// It is filled and copied in its own stream, given at construction, unless the call names another
/// stream of the same device. Fills are queued; copies from and to the host wait only for that
/// stream. Freeing waits for the device, like cudaFree().
template <class Type>
class buffer {
  static_assert(std::is_trivially_copyable_v<Type>,
                "a buffer holds bytes that a kernel can copy: its type must be trivially copyable");

 public:
  buffer() : stream_(no_stream()) {}
  /// \throws std::bad_alloc if device memory is used up.
  /// Reports of the host executor call it by its name: "buffer 'queue' + 0x20 (element 8)". Without
  /// a name they say which allocation it is, and of what. \param what of an owner of objects.
  explicit buffer(std::size_t size, const placement& on = {}, const owner_label& what = {})
      : stream_(on), memory_(size * sizeof(Type), on, detail::label_of<Type>(on.name, what)) {}
  buffer(std::size_t size, const char* name, const stream& on = {})
      : buffer(size, placement(name, on)) {}

  static buffer zeroed(std::size_t size, const placement& on = {}, const owner_label& what = {}) {
    buffer made(size, on, what);
    made.fill_bytes(0);
    return made;
  }

  /// Elements in memory of another owner, on the stream's device; it outlives them.
  static buffer borrowed(Type* elements, std::size_t size, const stream& on) {
    buffer made;
    made.stream_ = on;
    made.memory_ = detail::device_memory(elements, size * sizeof(Type), on);
    return made;
  }

  std::size_t size() const { return memory_.bytes() / sizeof(Type); }
  const stream& own_stream() const { return stream_; }

  /// The elements, for kernels whose threads share them.
  cell<Type>* device_data() const { return static_cast<cell<Type>*>(memory_.get()); }
  /// The elements, for kernels in which no two threads use the same element.
  Type* raw_pointer() const { return static_cast<Type*>(memory_.get()); }

  /// Sets every byte. \throws std::invalid_argument for a stream of another device.
  void fill_bytes(int byte) { fill_bytes(byte, stream_); }
  void fill_bytes(int byte, const stream& on) { memory_.fill(byte, on); }

  /// \throws std::out_of_range unless `from` has this buffer's size, std::invalid_argument for a
  /// stream of another device.
  void copy_from(std::span<const Type> from) { copy_from(from, stream_); }
  void copy_from(std::span<const Type> from, const stream& on) {
    if (from.size() != size()) throw std::out_of_range("buffer::copy_from: sizes differ");
    memory_.copy_from(from.data(), on);
  }

  /// What the buffer holds is meant for all later runs: poison_scratch() leaves it.
  void keep() { memory_.keep(); }
  /// Both: for what kernels only read.
  void keep_copy_of(std::span<const Type> from) {
    copy_from(from);
    keep();
  }

  /// Copies into existing host memory, for repeated reads. \throws as copy_from().
  void copy_to(std::span<Type> to) const { copy_to(to, stream_); }
  void copy_to(std::span<Type> to, const stream& on) const {
    if (to.size() != size()) throw std::out_of_range("buffer::copy_to: sizes differ");
    memory_.copy_to(to.data(), on);
  }

  /// Copies the first elements. \throws std::out_of_range if there are fewer.
  void copy_first_to(std::span<Type> to) const {
    if (to.size() > size()) throw std::out_of_range("buffer::copy_first_to: too many");
    memory_.copy_to(to.data(), to.size_bytes(), stream_);
  }

  /// \throws std::invalid_argument for a stream of another device.
  std::vector<Type> to_host() const { return to_host(stream_); }
  std::vector<Type> to_host(const stream& on) const {
    std::vector<Type> copy(size());
    memory_.copy_to(copy.data(), on);
    return copy;
  }

 private:
  // Must not query a device.
  static stream no_stream() {
#ifdef FINESYNC_HOST_EXECUTOR
    return {};
#else
    return {nullptr, 0};
#endif
  }

  stream stream_;
  detail::device_memory memory_;
};

/// `count` objects made of cells, such as a primitive's state, in a device's memory: all bytes
/// zero. Streams work as in buffer.
template <class State>
class zeroed_states {
  static_assert(std::is_trivially_destructible_v<State>);

 public:
  /// \throws std::bad_alloc if device memory is used up.
  explicit zeroed_states(std::size_t count = 1, const placement& on = {},
                         const owner_label& what = {})
      : stream_(on), memory_(count * sizeof(State), on, detail::label_of<State>(on.name, what)) {
    reset();
  }

  State* device_data() const { return static_cast<State*>(memory_.get()); }
  const stream& own_stream() const { return stream_; }

  void reset() { memory_.fill(0, stream_); }

 private:
  stream stream_;
  detail::device_memory memory_;
};

}  // namespace finesync::inline FINESYNC_ABI
