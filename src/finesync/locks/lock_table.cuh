// SPDX-License-Identifier: Apache-2.0
// Arrays of locks in device memory, for a hash table or a graph.
#pragma once

#include "finesync/device/cell.cuh"
#include "finesync/device/memory_model.cuh"
#include "finesync/host/buffer.cuh"

#include <cstddef>
#include <cstdint>

namespace finesync::inline FINESYNC_ABI {

/// Spacing of the locks of a table.
enum class lock_layout {
  packed,  ///< as close as their size allows: adjacent locks share a line
  padded,  ///< each lock on its own lines
};

/// A lock with a queue node per waiter, one per thread of the grid.
template <class Lock>
concept queues_nodes = requires {
  typename Lock::node;
};

namespace detail {

/// The node of a thread that waits for a Lock: empty unless the lock defines one.
template <class Lock>
struct node_of {
  struct type {};
};
template <queues_nodes Lock>
struct node_of<Lock> {
  using type = typename Lock::node;
};

}  // namespace detail

/// The device side; trivially copyable, passed by value.
template <class Lock>
class lock_table_ref {
 public:
  using node = typename detail::node_of<Lock>::type;

  lock_table_ref(unsigned char* first, std::size_t stride, node* nodes, std::uint32_t threads)
      : first_(first), stride_(stride), nodes_(nodes), threads_(threads) {}

  __device__ Lock operator[](std::size_t index) const {
    if constexpr (queues_nodes<Lock>) {
      return Lock(state(index), nodes_, threads_);
    } else {
      return Lock(state(index));
    }
  }

  /// For locks that need more than their state.
  __device__ typename Lock::state& state(std::size_t index) const {
    return *reinterpret_cast<typename Lock::state*>(first_ + index * stride_);
  }

 private:
  unsigned char* first_;
  std::size_t stride_;
  node* nodes_;
  std::uint32_t threads_;  ///< number of nodes
};

/// Owns `count` free locks in device memory.
template <class Lock>
class lock_table {
 public:
  /// \throws std::bad_alloc if device memory is used up.
  lock_table(std::size_t count, lock_layout layout,
             const placement& on = {}) requires(!queues_nodes<Lock>)
      : lock_table(count, layout, 0, on) {}
  /// \param threads threads of the largest grid that will use the locks.
  lock_table(std::size_t count, lock_layout layout, std::size_t threads, const placement& on = {})
      : stride_(stride_of(layout)),
        bytes_(count * stride_, on, {.object = "lock", .object_bytes = stride_}),
        nodes_(queues_nodes<Lock> ? threads : 0, on,
               {.object = "waiter", .object_bytes = sizeof(typename lock_table_ref<Lock>::node)}),
        threads_(static_cast<std::uint32_t>(threads)) {
    reset();
  }

  /// Frees all locks, also those that are held. \throws any exception of the lock's own set-up.
  void reset() {
    bytes_.fill_bytes(0);
    if constexpr (requires(lock_table_ref<Lock> locks) {
                    Lock::set_up(locks, std::size_t{}, stream());
                  })
      Lock::set_up(ref(), bytes_.size() / stride_, bytes_.own_stream());
  }

  lock_table_ref<Lock> ref() const {
    return {bytes_.raw_pointer(), stride_, nodes_.device_data(), threads_};
  }

  /// Distance between adjacent locks in bytes.
  static constexpr std::size_t stride_of(lock_layout layout) {
    constexpr std::size_t size = sizeof(typename Lock::state);
    return layout == lock_layout::packed ? size : (size + line_bytes - 1) / line_bytes * line_bytes;
  }

 private:
  std::size_t stride_;
  buffer<unsigned char> bytes_;
  zeroed_states<typename lock_table_ref<Lock>::node> nodes_;  // a thread sets up its own
  std::uint32_t threads_;
};

}  // namespace finesync::inline FINESYNC_ABI
