// A network with its residual capacities, heights and excess, as kernels see it.
#pragma once

#include <finesync/device/cell.cuh>
#include <finesync/device/global_atomic_ref.cuh>
#include <finesync/device/ptx/prefetch.cuh>

#include <cstdint>

namespace finesync::maxflow {

/// One end of an arc, in the row of the node at this end. Pair p of an arc and its mate are the
/// slots 2 p and 2 p + 1.
struct alignas(8) arc_end {
  std::uint32_t other;  ///< the node at the other end
  std::uint32_t slot;
};

/// The arc ends of a node, by their numbers.
struct alignas(8) row {
  std::uint32_t first = 0;
  std::uint32_t end = 0;

  __host__ __device__ constexpr bool has(std::uint32_t i) const { return i < end - first; }
};

// A node's height and excess are one word: the atomic that pushes to a node also returns its height
// and whether it had excess.
inline constexpr unsigned excess_bits = 38;
inline constexpr std::uint64_t max_excess = (std::uint64_t{1} << excess_bits) - 1;
inline constexpr std::uint32_t max_nodes = (std::uint32_t{1} << (64 - excess_bits)) - 2;

__host__ __device__ constexpr std::uint64_t node_word(std::uint32_t height, std::uint64_t excess) {
  return std::uint64_t{height} << excess_bits | excess;
}
__host__ __device__ constexpr std::uint32_t height_of(std::uint64_t node) {
  return static_cast<std::uint32_t>(node >> excess_bits);
}
__host__ __device__ constexpr std::uint64_t excess_of(std::uint64_t node) {
  return node & max_excess;
}

// The residual capacities of an arc and its mate are one word too.
__host__ __device__ constexpr std::uint32_t residual_of(std::uint64_t pair, std::uint32_t slot) {
  return static_cast<std::uint32_t>(slot % 2 == 0 ? pair : pair >> 32);
}
/// The change that a push over a slot makes to the word.
__host__ __device__ constexpr std::uint64_t pushed_over(std::uint32_t slot, std::uint32_t amount) {
  const std::uint64_t back = std::uint64_t{amount} << 32;
  return slot % 2 == 0 ? back - amount : amount - back;
}

/// The kernel side; trivially copyable, passed by value. Heights are 0 to nodes(); nodes() means
/// that no path to the root (relabel.cuh) is known. cut_off() means that there is none.
class network_ref {
  using word = global_atomic_ref;

 public:
  network_ref(std::uint32_t nodes, std::uint32_t source, std::uint32_t sink, bool has_long_rows,
              const std::uint32_t* rows, const arc_end* ends, cell<std::uint64_t>* pairs,
              cell<std::uint64_t>* words)
      : nodes_(nodes),
        source_(source),
        sink_(sink),
        has_long_rows_(has_long_rows),
        rows_(rows),
        ends_(ends),
        pairs_(pairs),
        words_(words) {}

  __host__ __device__ std::uint32_t nodes() const { return nodes_; }
  __host__ __device__ std::uint32_t cut_off() const { return nodes_ + 1; }
  __device__ std::uint32_t source() const { return source_; }
  __device__ std::uint32_t sink() const { return sink_; }
  /// Whether a node keeps its excess.
  __device__ bool is_terminal(std::uint32_t node) const { return node == source_ || node == sink_; }
  __device__ bool has_excess(std::uint32_t node, std::uint64_t seen) const {
    return excess_of(seen) != 0 && !is_terminal(node);
  }
  __device__ bool is_active(std::uint32_t node, std::uint64_t seen) const {
    return height_of(seen) < nodes_ && has_excess(node, seen);
  }

  /// Whether some node, other than source and sink, has a long row (rows.cuh).
  __device__ bool has_long_rows() const { return has_long_rows_; }
  __device__ row row_of(std::uint32_t node) const { return {rows_[node], rows_[node + 1]}; }
  __device__ arc_end end(std::uint32_t number) const { return ends_[number]; }

  /// Prefetches the first `most` ends of a row.
  __device__ void prefetch_ends(const row& all, std::uint32_t most) const {
    if (!all.has(0)) return;
    prefetch(ends_ + all.first);
    prefetch(ends_ + (all.has(most) ? all.first + most : all.end) - 1);
  }

  __device__ std::uint64_t pair(std::uint32_t slot) const { return word(pairs_[slot / 2]).load(); }
  __device__ std::uint32_t residual(std::uint32_t slot) const {
    return residual_of(pair(slot), slot);
  }
  __device__ void push_over(std::uint32_t slot, std::uint32_t amount) const {
    word(pairs_[slot / 2]).fetch_add(pushed_over(slot, amount));
  }
  /// The same for a thread with exclusive write access: others only read.
  __device__ void push_alone_over(std::uint32_t slot, std::uint32_t amount) const {
    word(pairs_[slot / 2]).store(pair(slot) + pushed_over(slot, amount));
  }

  __device__ std::uint64_t node(std::uint32_t node) const { return word(words_[node]).load(); }
  /// \returns the word before. \param change difference of two node_word()s.
  __device__ std::uint64_t add_to(std::uint32_t node, std::uint64_t change) const {
    return word(words_[node]).fetch_add(change);
  }
  /// Lowers the height, unless it is already as low. No thread pushes meanwhile, so of two words of
  /// a node the one with the lower height is smaller. \param seen current word of the node.
  /// \returns the word before.
  __device__ std::uint64_t lower(std::uint32_t node, std::uint64_t seen,
                                 std::uint32_t height) const {
    return word(words_[node]).fetch_min(node_word(height, excess_of(seen)));
  }
  /// For a thread with exclusive write access: others only read.
  __device__ void set(std::uint32_t node, std::uint64_t to) const { word(words_[node]).store(to); }

 private:
  std::uint32_t nodes_;
  std::uint32_t source_;
  std::uint32_t sink_;
  bool has_long_rows_;
  const std::uint32_t* rows_;
  const arc_end* ends_;
  cell<std::uint64_t>* pairs_;
  cell<std::uint64_t>* words_;
};

}  // namespace finesync::maxflow
