// Bitmaps of vertices, as the warps of a search look at them.
#pragma once

#include <finesync/device/atomic_ref.cuh>
#include <finesync/device/cell.cuh>
#include <finesync/device/warp.cuh>

#include <cstdint>

namespace finesync::bfs {

/// What a warp looks at together: 256 vertices, which are eight words of a bitmap.
struct vertex_batch {
  static constexpr unsigned words = 8;
  static constexpr unsigned vertices = 32 * words;
  static constexpr std::uint32_t number_for(std::uint32_t of_graph) {
    return of_graph / vertices + (of_graph % vertices != 0);
  }

  __device__ std::uint32_t first_vertex() const { return number * vertices; }
  /// Of its words in a bitmap.
  __device__ std::uint32_t first_word() const { return number * words; }
  /// The vertices of the lane, a bit each: those of a byte of the bitmap.
  __device__ unsigned byte_of(const cell<std::uint32_t>* bitmap) const {
    return bitmap[first_word() + lane_id() / 4] >> lane_id() % 4 * 8 & 0xff;
  }

  std::uint32_t number;
};

/// Vertices of a batch, packed in the warp's shared memory: however few of the 256 are to be looked
/// at, 32 at a time are. Beside them, two bits for each vertex of the batch, to be set by any lane.
class vertex_list {
 public:
  /// A warp's shared memory.
  struct memory {
    cell<std::uint8_t> entries[vertex_batch::vertices];
    cell<std::uint32_t> found[vertex_batch::words];
    cell<std::uint32_t> settled[vertex_batch::words];  ///< no path leads to it
  };

  __device__ explicit vertex_list(memory& own) : own_(own) {}

  /// No bit is set. All lanes call it together, and meet before they set bits.
  __device__ void clear() const {
    if (lane_id() < vertex_batch::words)
      own_.found[lane_id()] = own_.settled[lane_id()] = std::uint32_t{0};
  }

  /// Lists the vertices of the lanes' bytes; returns their number. All lanes call it together.
  __device__ unsigned fill(unsigned byte) const {
    const lane_group warp = lane_group::whole_warp();
    if (!warp.any(byte != 0)) return 0;
    const auto bits = static_cast<std::uint32_t>(__popc(byte));
    const std::uint32_t end = sum_up_to_lane(bits);
    unsigned place = end - bits;
    warp.sync();  // the list before has been read
    for (; byte != 0; byte &= byte - 1)
      own_.entries[place++] = static_cast<std::uint8_t>(
          lane_id() * 8 + static_cast<unsigned>(__ffs(static_cast<int>(byte)) - 1));
    warp.sync();
    return warp.get(end, 31);
  }

  /// The place of a listed vertex in the batch.
  __device__ unsigned place(unsigned i) const { return own_.entries[i]; }

  __device__ void set(cell<std::uint32_t> (memory::*bits)[vertex_batch::words],
                      unsigned place) const {
    atomic_ref<std::uint32_t, scope::block>((own_.*bits)[place / 32])
        .fetch_or(1u << place % 32, memory_order::relaxed);
  }
  /// A word of the bits, which is empty then. The lanes have met since they set bits.
  __device__ std::uint32_t take(cell<std::uint32_t> (memory::*bits)[vertex_batch::words],
                                unsigned word) const {
    const std::uint32_t all = (own_.*bits)[word];
    (own_.*bits)[word] = 0;
    return all;
  }

 private:
  memory& own_;
};

}  // namespace finesync::bfs
