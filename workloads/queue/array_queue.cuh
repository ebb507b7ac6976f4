// The idiom without a bound: an array and an index at each end. One kernel fills it, the next
// empties it. For comparison; no queue between blocks that run at once.
//
// Use: ring_queue.cuh, where all of a kernel's blocks push, and all of the next one's pop.
// Participants: whole warps.
// Ordering: the end of the first kernel.
// Progress: no wait. It takes no more items than its capacity, and none twice.
// Traffic: one addition per warp or block and call; per item a store and a load.
// Reset: reset().
#pragma once

#include <finesync/host/buffer.cuh>
#include <finesync/queues/queue_lines.cuh>
#include <finesync/queues/ring_queue.cuh>

#include <cstddef>
#include <cstdint>

namespace finesync::queue {

template <class T>
class array_ring {
 public:
  using item_type = T;
  using ticket = std::uint32_t;
  struct nothing {};
  using space_look = nothing;
  using item_look = nothing;
  static constexpr scope reach = scope::device;
  static constexpr bool orders_memory = false;

  explicit array_ring(cell<T>* items) : items_(items) {}

  __host__ __device__ std::size_t shared_bytes() const { return 0; }
  __device__ array_ring join(unsigned char*) const { return *this; }
  __device__ nothing look_at_space(std::uint64_t) const { return {}; }
  __device__ bool is_free(nothing, std::uint64_t) const { return true; }
  __device__ void put(ticket at, const T& item) const { items_[at] = item; }
  __device__ nothing look_at_item(std::uint64_t) const { return {}; }
  __device__ bool take(nothing, ticket at, T& item) const {
    item = items_[at];
    return true;
  }
  template <class Place>
  __device__ void passed(const Place&, unsigned) const {}

 private:
  cell<T>* items_;
};

template <class T>
class array_queue {
 public:
  static constexpr bool in_phases = true;
  using ref_type = ring_queue<array_ring<T>>;

  explicit array_queue(std::size_t capacity) : items_(capacity) {}

  void reset() { lines_.reset(); }
  std::size_t capacity() const { return items_.size(); }
  ref_type ref() const { return {lines_.ends(), array_ring<T>(items_.device_data())}; }

 private:
  queue_lines<typename ref_type::ticket> lines_;
  buffer<T> items_;
};

}  // namespace finesync::queue
