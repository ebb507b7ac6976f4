// Bitmaps of vertices, as the warps of a search look at them.
#pragma once

#include <finesync/device/cell.cuh>
#include <finesync/device/warp.cuh>

#include <cstdint>

namespace finesync::bfs {

/// What a warp looks at together: 256 vertices, which are eight words of a bitmap. Each lane has
/// the eight vertices of one byte.
struct vertex_batch {
  static constexpr unsigned words = 8;
  static constexpr unsigned vertices = 32 * words;
  static constexpr std::uint32_t number_for(std::uint32_t of_graph) {
    return of_graph / vertices + (of_graph % vertices != 0);
  }

  /// The word with the lane's byte. Four lanes share it; one of them stores it.
  __device__ std::uint32_t word() const { return number * words + lane_id() / 4; }
  __device__ static bool stores() { return lane_id() % 4 == 0; }
  /// The lane's byte of its word, and the word of the bytes of four lanes. All lanes of the warp
  /// call the latter together.
  __device__ static unsigned byte_of(std::uint32_t word) {
    return word >> lane_id() % 4 * 8 & 0xff;
  }
  __device__ static std::uint32_t word_of(unsigned byte) {
    const lane_group warp = lane_group::whole_warp();
    std::uint32_t word = byte << lane_id() % 4 * 8;
    word |= warp.get(word, static_cast<int>(lane_id() ^ 1));
    return word | warp.get(word, static_cast<int>(lane_id() ^ 2));
  }

  std::uint32_t number;
};

/// Vertices of a batch, packed in the warp's shared memory: however few of the 256 are to be looked
/// at, 32 at a time are. All lanes of the warp call fill() and answers() together.
class vertex_list {
 public:
  /// A warp's shared memory.
  struct memory {
    cell<std::uint8_t> entries[vertex_batch::vertices];
  };
  /// What is known of a vertex, or of the vertices of a byte, a bit each.
  struct answer {
    unsigned found;    ///< its distance
    unsigned settled;  ///< found, or never to be: it need not be looked at again
  };

  __device__ explicit vertex_list(memory& own) : entries_(own.entries) {}

  /// Lists the vertices of the lanes' bytes; returns their number.
  __device__ unsigned fill(const vertex_batch& batch, unsigned byte) {
    const lane_group warp = lane_group::whole_warp();
    if (!warp.any(byte != 0)) return 0;
    first_ = batch.number * vertex_batch::vertices;
    const auto bits = static_cast<std::uint32_t>(__popc(byte));
    const std::uint32_t end = sum_up_to_lane(bits);
    begin_ = end - bits;
    unsigned place = begin_;
    warp.sync();  // the list before has been read
    for (; byte != 0; byte &= byte - 1)
      entries_[place++] = static_cast<std::uint8_t>(lane_id() * 8 + lowest_bit(byte));
    warp.sync();
    return warp.get(end, 31);
  }

  __device__ std::uint32_t vertex(unsigned i) const { return first_ + entries_[i]; }
  /// Takes the place of the vertex.
  __device__ void put(unsigned i, const answer& to) const {
    entries_[i] = static_cast<std::uint8_t>(to.found | to.settled << 1);
  }

  /// Of the vertices of the lane's byte, which is as it was for fill(). All have been answered.
  __device__ answer answers(unsigned byte) const {
    lane_group::whole_warp().sync();
    answer all{0, 0};
    unsigned place = begin_;
    for (unsigned left = byte; left != 0; left &= left - 1) {
      const unsigned one = entries_[place++];
      const unsigned bit = left & (0 - left);
      if ((one & 1) != 0) all.found |= bit;
      if ((one & 2) != 0) all.settled |= bit;
    }
    return all;
  }

 private:
  __device__ static unsigned lowest_bit(unsigned byte) {
    return static_cast<unsigned>(__ffs(static_cast<int>(byte)) - 1);
  }

  cell<std::uint8_t>* entries_;
  std::uint32_t first_ = 0;  ///< vertex of the batch
  unsigned begin_ = 0;       ///< of the lane's vertices in the list
};

}  // namespace finesync::bfs
