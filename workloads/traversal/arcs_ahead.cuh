// What a block does between its arrival at a split-phase barrier and the wait: the loads of the
// next round that need no other block.
#pragma once

#include "search.cuh"

namespace finesync::traversal {

/// The first arcs of the block's own entries of the next round, one per lane. The block has these
/// entries already, and no kernel writes the graph. Distances may change before the round begins,
/// but only become shorter: an arc that shortens nothing now never will, and an entry that is out
/// of date stays so. Both are looked at again where the answer was yes.
template <class Kind, bool Corrects>
class arcs_ahead {
 public:
  /// The block's first entries of a round are followed by follow(), the others are not.
  __device__ static std::uint32_t capacity() { return warps().number() * entries_per_warp; }

  /// By all threads of the block, after its arrival. \param kept the limit under which the entries
  /// were made, \param limit from which they will be held back.
  __device__ void load(const search_ref& search, block_queue& own, unsigned round, unsigned kept,
                       std::uint32_t limit) {
    const std::uint32_t mine = warps().index() * entries_per_warp + lane_id() / lanes_per_entry;
    const std::uint32_t length = own.length(round);
    has_ = threadIdx.x / 32 >= warps().first && mine < (length < kept ? length : kept);
    shortens_ = false;
    if (!has_) return;
    entry_ = own.entries(round)[mine];
    now_ = distance_now<Corrects>(search, entry_);
    const std::uint32_t number = lane_id() % lanes_per_entry;
    if (number >= entry_.arcs || (Kind::threshold::holds_back && entry_.distance >= limit)) return;
    found_ = end_of_arc<Kind>(search.graph, entry_, number);
    shortens_ =
        found_.distance < atomic_ref<std::uint32_t, scope::device>(search.distances[found_.vertex])
                              .load(memory_order::relaxed);
  }

  /// By all threads of the block, in the round: follows the entries with the limit of load().
  __device__ void follow(const search_ref& search, std::uint32_t limit, frontier_writer& next) {
    if (!lane_group::whole_warp().any(has_)) return;
    const std::uint32_t arcs = arcs_to_follow<Kind>(has_, entry_, now_, limit, next);
    const bool shorter =
        shortens_ && is_up_to_date<Corrects>(entry_, now_) && shortens(search, found_);
    append<Corrects>(search.graph, shorter, found_, next);
    follow_arcs<Kind, Corrects>(search, entry_, now_, lanes_per_entry, arcs, next);
  }

 private:
  /// The first warp has the barrier to run, unless it is the only one.
  __device__ static working_warps warps() { return {.first = blockDim.x > 32 ? 1u : 0u}; }

  frontier_entry entry_{};
  arc_end found_{};
  bool has_ = false;
  std::uint32_t now_ = 0;
  bool shortens_ = false;
};

}  // namespace finesync::traversal
