// Many locks side by side, as a hash table or a graph needs them.
#pragma once

#include "finesync/device/buffer.cuh"
#include "finesync/device/cell.cuh"
#include "finesync/device/memory_model.cuh"

#include <cstddef>
#include <cstdint>

namespace finesync {

/// How far apart the locks of a table lie.
enum class lock_spacing {
  packed,  ///< as close as their size allows: neighbours share a line
  padded,  ///< each on lines of its own
};

/// A lock whose waiters queue by nodes of their own, one per thread of the grid.
template <class Lock>
concept queues_nodes = requires {
  typename Lock::node;
};

/// The kernel's side; trivially copyable, passed by value.
template <class Lock>
class lock_table_ref {
 public:
  lock_table_ref(unsigned char* first, std::size_t stride, unsigned char* nodes,
                 std::uint32_t threads)
      : first_(first), stride_(stride), nodes_(nodes), threads_(threads) {}

  __device__ Lock operator[](std::size_t index) const {
    if constexpr (queues_nodes<Lock>) {
      return Lock(state(index), reinterpret_cast<typename Lock::node*>(nodes_), threads_);
    } else {
      return Lock(state(index));
    }
  }

  /// For locks that are made of more than their state.
  __device__ typename Lock::state& state(std::size_t index) const {
    return *reinterpret_cast<typename Lock::state*>(first_ + index * stride_);
  }

 private:
  unsigned char* first_;
  std::size_t stride_;
  unsigned char* nodes_;
  std::uint32_t threads_;  ///< that have nodes
};

/// Owns `count` free locks in device memory.
template <class Lock>
class lock_table {
 public:
  /// \throws std::bad_alloc when device memory is used up.
  lock_table(std::size_t count, lock_spacing spacing) requires(!queues_nodes<Lock>)
      : lock_table(count, spacing, 0) {}
  /// \param threads of the largest grid that will use the locks.
  lock_table(std::size_t count, lock_spacing spacing, std::size_t threads)
      : stride_(stride_of(spacing)),
        bytes_(count * stride_),
        nodes_(node_bytes() * threads),
        threads_(static_cast<std::uint32_t>(threads)) {
    reset();
  }

  /// Frees all locks, whoever holds them. \throws whatever the lock's own set-up does.
  void reset() {
    bytes_.fill_bytes(0);
    if constexpr (requires(lock_table_ref<Lock> locks) { Lock::set_up(locks, std::size_t{}); })
      Lock::set_up(ref(), bytes_.size() / stride_);
  }

  lock_table_ref<Lock> ref() const {
    return {bytes_.template as<unsigned char>(), stride_, nodes_.template as<unsigned char>(),
            threads_};
  }

  /// Bytes from one lock to the next.
  static constexpr std::size_t stride_of(lock_spacing spacing) {
    constexpr std::size_t size = sizeof(typename Lock::state);
    return spacing == lock_spacing::packed ? size
                                           : (size + line_bytes - 1) / line_bytes * line_bytes;
  }

 private:
  static constexpr std::size_t node_bytes() {
    if constexpr (queues_nodes<Lock>) return sizeof(typename Lock::node);
    return 0;
  }

  std::size_t stride_;
  buffer<unsigned char> bytes_;
  buffer<unsigned char> nodes_;  // a thread sets its own up whenever it queues
  std::uint32_t threads_;
};

}  // namespace finesync
