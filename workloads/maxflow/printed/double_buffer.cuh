// A worklist with double buffering, in global memory: a round reads one buffer and appends to the
// other. A round is a launch, so its end is the barrier at which the buffers are swapped.
//
// Participants: all threads of a round.
// Ordering: that of launches in a stream.
// Traffic: an addition per node that is appended.
// Reset: zero the counts.
#pragma once

#include <finesync/device/atomic_ref.cuh>
#include <finesync/device/cell.cuh>
#include <finesync/host/buffer.cuh>
#include <workloads/maxflow/push_relabel/relabel.cuh>

#include <cstddef>
#include <cstdint>

namespace finesync::maxflow {

/// The kernel side in one round; trivially copyable, passed by value.
struct double_buffer_ref {
  cell<std::uint32_t>* nodes;  ///< of two rounds
  std::uint32_t room;          ///< for each of them
  /// Nodes that were appended for each of three rounds, and whether any had no room.
  cell<std::uint32_t>* counts;
  std::uint32_t round;

  static constexpr unsigned rounds_counted = 3;

  __device__ std::uint32_t size() const {
    const std::uint32_t appended = counts[round % rounds_counted];
    return appended < room ? appended : room;
  }
  __device__ std::uint32_t operator[](std::uint32_t i) const {
    return nodes[round % 2 * std::size_t{room} + i];
  }
  /// Any thread: for the next round. What has no room is lost.
  __device__ void append(std::uint32_t node) const {
    const std::uint32_t place =
        word((round + 1) % rounds_counted).fetch_add(1, memory_order::relaxed);
    if (place < room)
      nodes[(round + 1) % 2 * std::size_t{room} + place] = node;
    else
      word(rounds_counted).store(1, memory_order::relaxed);
  }
  /// Called by all threads of each round.
  __device__ void empty_the_one_after_next() const {
    if (thread_of_grid() == 0) counts[(round + 2) % rounds_counted] = 0;
  }

 private:
  __device__ atomic_ref<std::uint32_t, scope::device> word(std::uint32_t which) const {
    return atomic_ref<std::uint32_t, scope::device>(counts[which]);
  }
};

/// Owns the buffers. Host side.
class double_buffer {
 public:
  explicit double_buffer(std::size_t room) : nodes_(2 * room), room_(room) {}

  void reset() {
    counts_.fill_bytes(0);
    round_ = 0;
  }
  double_buffer_ref ref() const {
    return {nodes_.device_data(), static_cast<std::uint32_t>(room_), counts_.device_data(), round_};
  }
  void swap() { ++round_; }

  struct contents {
    std::uint32_t nodes;  ///< that the round reads, or had no room
    bool has_lost;        ///< since the last reset
  };
  /// Waits for the stream.
  contents read() const {
    const auto counts = counts_.to_host();
    return {counts[round_ % double_buffer_ref::rounds_counted],
            counts[double_buffer_ref::rounds_counted] != 0};
  }

 private:
  buffer<std::uint32_t> nodes_;
  buffer<std::uint32_t> counts_{double_buffer_ref::rounds_counted + 1};
  std::size_t room_;
  std::uint32_t round_ = 0;
};

}  // namespace finesync::maxflow
