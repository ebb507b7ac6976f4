// Edge lists that warps write in pieces.
#pragma once

#include <finesync/device/atomic_ref.cuh>
#include <finesync/device/warp.cuh>
#include <finesync/device/watchdog.cuh>
#include <workloads/mst/minimum/minimum.cuh>

#include <cstdint>

namespace finesync::mst {

/// An edge between two components of a round.
struct alignas(16) edge {
  std::uint32_t from;
  std::uint32_t to;
  std::uint32_t weight;
  std::uint32_t arc;  ///< one of the edge's two arcs in the graph
};

/// Items that a warp collects in shared memory before it processes them.
template <class Item, unsigned Capacity>
using warp_stage = cell<Item>[Capacity];

/// A warp's place in a stage. All lanes call the members together.
template <class Item, unsigned Capacity>
class staged_items {
 public:
  __device__ explicit staged_items(warp_stage<Item, Capacity>& stage) : stage_(stage) {}

  /// Adds the items of each lane for which `has` is true. \param empty processes all staged items,
  /// given their number, when there is no room.
  template <unsigned Number, class Empty>
  __device__ __forceinline__ void add(const bool (&has)[Number], const Item (&items)[Number],
                                      Empty empty) {
    static_assert(32 * Number <= Capacity);
    unsigned having[Number];
    unsigned added = 0;
    for (unsigned i = 0; i < Number; ++i) {
      having[i] = __ballot_sync(all_lanes, has[i]);
      added += static_cast<unsigned>(__popc(having[i]));
    }
    if (staged_ + added > Capacity) flush(empty);
    for (unsigned i = 0; i < Number; ++i) {
      if (has[i]) stage_[staged_ + lanes_below(having[i])] = items[i];
      staged_ += static_cast<unsigned>(__popc(having[i]));
    }
  }

  template <class Empty>
  __device__ __forceinline__ void flush(Empty empty) {
    __syncwarp();
    empty(staged_);
    __syncwarp();
    staged_ = 0;
  }

 private:
  static constexpr unsigned all_lanes = 0xffffffffu;
  warp_stage<Item, Capacity>& stage_;
  unsigned staged_ = 0;
};

template <unsigned Capacity>
using edge_stage = warp_stage<edge, Capacity>;

/// A warp's access to the end of a list. It also proposes every edge that it writes to both
/// components. All lanes call the members together.
template <class Minimum, unsigned Capacity>
class edge_writer {
 public:
  /// \param length length of the list, to which other warps also add.
  /// \param spared component without proposals: others join it, and it joins none.
  __device__ edge_writer(edge_stage<Capacity>& stage, cell<edge>* list, cell<std::uint32_t>& length,
                         const Minimum& minima, std::uint32_t spared, const watchdog_ref& watchdog)
      : stage_(stage),
        staged_(stage),
        list_(list),
        length_(length),
        minima_(minima),
        spared_(spared),
        watchdog_(watchdog) {}

  /// Adds the edges of each lane for which `has` is true.
  template <unsigned Number>
  __device__ __forceinline__ void add(const bool (&has)[Number], const edge (&edges)[Number]) {
    staged_.add(has, edges, [this](unsigned number) { write_all(number); });
  }

  /// Call it after the last edge. \returns false, in all lanes, when the watchdog ended a wait.
  __device__ bool close() {
    staged_.flush([this](unsigned number) { write_all(number); });
    return __all_sync(all_lanes, in_time_) != 0;
  }

 private:
  static constexpr unsigned all_lanes = 0xffffffffu;

  __device__ __forceinline__ void write_all(unsigned number) {
    in_time_ = write(stage_, number, list_, length_, minima_, spared_, watchdog_) && in_time_;
  }
  /// Out of line, as it is called in several places. It does not take the object, which stays in
  /// registers. \returns false when the watchdog ended a wait of this lane.
  __device__ FINESYNC_OUT_OF_LINE static bool write(edge_stage<Capacity>& stage, unsigned number,
                                                    cell<edge>* list, cell<std::uint32_t>& length,
                                                    Minimum minima, std::uint32_t spared,
                                                    watchdog_ref watchdog) {
    std::uint32_t first = 0;
    if (lane_id() == 0)
      first =
          atomic_ref<std::uint32_t, scope::device>(length).fetch_add(number, memory_order::relaxed);
    first = __shfl_sync(all_lanes, first, 0);
    bool in_time = true;
    for (unsigned i = lane_id(); i < number; i += 32) {
      const edge what = stage[i];
      list[first + i] = what;
      const std::uint64_t key = key_of(what.weight, first + i);
      // Both loads are issued before either is waited for.
      const std::uint64_t least_of_from = what.from != spared ? minima.current_min(what.from) : 0;
      const std::uint64_t least_of_to = what.to != spared ? minima.current_min(what.to) : 0;
      if (in_time && key < least_of_from) in_time = minima.propose(what.from, key, watchdog);
      if (in_time && key < least_of_to) in_time = minima.propose(what.to, key, watchdog);
    }
    return in_time;
  }

  edge_stage<Capacity>& stage_;
  staged_items<edge, Capacity> staged_;
  cell<edge>* list_;
  cell<std::uint32_t>& length_;
  const Minimum minima_;
  std::uint32_t spared_;
  const watchdog_ref& watchdog_;
  bool in_time_ = true;
};

}  // namespace finesync::mst
