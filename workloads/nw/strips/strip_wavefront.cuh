// The warp that computes a strip.
#pragma once

#include <finesync/device/atomic_ref.cuh>
#include <finesync/device/cluster.cuh>
#include <finesync/device/ptx/dynamic_programming.cuh>
#include <finesync/device/ptx/force_register.cuh>
#include <finesync/device/ptx/vector_access.cuh>
#include <finesync/device/warp.cuh>
#include <finesync/device/warp_wait.cuh>
#include <workloads/nw/strips/strip.cuh>

#include <cstdint>
#include <utility>

namespace finesync::nw {

/// Used by all lanes of one warp; one object per strip.
///
/// A step is a chain: the row from the lane above, seven dependent cells, the row for the lane
/// below. All other work is off this chain: loads one step before their use, and tests of other
/// warps' progress that seldom fail. The steps of a stage are one piece of code without an exit.
/// After a wait that the watchdog ended, the strip ends with its stage: given an exit from each
/// step, compilers move registers at each.
template <class Sizes>
class strip_wavefront {
  using storage = strip_storage<Sizes>;
  static constexpr unsigned poll_every = Sizes::steps_per_poll;  ///< groups of inflow per poll
  static_assert(steps_of_stage % poll_every == 0 && poll_every * columns_of_step <= lanes);
  /// Lets the next strip free the places of one half while the wavefront needs those of another.
  static_assert(2 * stages_of_half<Sizes> <= Sizes::room / steps_of_stage);

 public:
  /// \param first_half first half of the rings that the strip uses.
  __device__ strip_wavefront(storage& shared, const strip_plan& plan, const strip_position& at,
                             unsigned first_half, const watchdog_ref& watchdog)
      : shared_(force_address_register(shared)),
        at_(at),
        first_half_(first_half),
        watchdog_(watchdog),
        lane_(force_register(lane_id())),
        hands_on_(at.has_south(plan) && lane_id() == lanes - 1),
        row_(shared.inflow) {
    if (!at.has_south(plan)) return;
    if (at.is_last_of_cluster) {
      row_ = plan.rows_between + (at.strip + 1) * plan.words_of_row();
    } else {
      row_ = in_block(shared_, cluster_rank() + 1).inflow;
      is_ring_ = true;
    }
  }

  /// \returns false when the watchdog ended a wait.
  __device__ bool run() {
    if (!begin()) return false;
    for (unsigned stage = 0; stage < at_.stages; ++stage) {
      run_stage(stage, stage + 1 < at_.stages);
      if (!in_time_) return false;
    }
    return true;
  }

 private:
  using state_word = atomic_ref<std::uint32_t, scope::cluster, shared_owner::own_block>;

  /// Waits for the data of the first step.
  __device__ bool begin() {
    await_half(0);
    if (!in_time_) return false;
    cell<std::uint32_t>* group0 = shared_.inflow + first_inflow_word;
    if (!await_by_warp(watchdog_, awaited::token, [&] {
          north_ = load_shared_words(group0);
          return !any_empty<Sizes>(north_);
        }))
      return false;
    similar_ = similarities_of(0)[0];
    peeked_ = peek(0);
    return true;
  }

  /// A lane's data of a stage.
  struct stage_view {
    unsigned number;  ///< index in the strip
    bool has_next;
    bool ends_half;
    cell<quad>* tile;
    const cell<quad>* similarities;
    const cell<quad>* similarities_of_next;
    cell<std::uint32_t>* in;
    bool hands_on;
    cell<std::uint32_t>* out;
    bool next_is_ready;
  };

  __device__ void run_stage(unsigned stage, bool has_next) {
    const unsigned place = steps_of_stage * stage;
    const bool hands_on = hands_on_ && stage + 1 >= stages_behind;
    stage_view at{.number = stage,
                  .has_next = has_next,
                  .ends_half = at_.template ends_half<Sizes>(stage),
                  .tile = shared_.tiles[part(stage)][lane_id()],
                  .similarities = similarities_of(stage),
                  .similarities_of_next = similarities_of(has_next ? stage + 1 : stage),
                  .in = shared_.inflow + inflow_word<Sizes>(place),
                  .hands_on = hands_on,
                  .out = force_register(row_ + place_to(stage)),
                  .next_is_ready = true};
    run_steps(at, std::make_integer_sequence<unsigned, steps_of_stage>());
    if (!at.ends_half) return;
    shared_.tile_ring.producer_commit(half_in_rings(stage));
    shared_.similarity_ring.consumer_release(half_in_rings(stage));
  }
  template <unsigned... Steps>
  __device__ __forceinline__ void run_steps(stage_view& at,
                                            std::integer_sequence<unsigned, Steps...>) {
    (run_step<Steps>(at), ...);
  }

  template <unsigned Step>
  __device__ __forceinline__ void run_step(stage_view& at) {
    constexpr bool is_last = Step + 1 == steps_of_stage;
    const unsigned place = steps_of_stage * at.number + Step;
    if constexpr (Step % poll_every == 0) await_inflow(place);
    const quad north = load_shared_words(at.in + columns_of_step * Step);
    if (Step + 3 == steps_of_stage && at.ends_half && at.has_next)
      at.next_is_ready = is_ready_by_now(at.number + 1);
    if constexpr (is_last) {
      if (!__all_sync(all_lanes, at.next_is_ready)) await_half(at.number + 1);
    }
    const quad similar = is_last ? at.similarities_of_next[0] : at.similarities[Step + 1];
    if ((Step + 1) % poll_every == 0) peeked_ = peek(place + 1);

    quad rows[rows_of_lane];
    compute(rows);
    for (unsigned row = 0; row < rows_of_lane; ++row)
      at.tile[row * steps_of_stage + Step] = rows[row];
    store_words_if(at.hands_on, at.out + columns_of_step * Step, rows[rows_of_lane - 1]);
    north_ = north;
    similar_ = similar;
  }

  /// Computes the lane's rows of a group of columns; its last row goes to the lane below.
  __device__ void compute(quad (&rows)[rows_of_lane]) {
    std::int32_t north_west = corner_;
    for (unsigned column = 0; column < columns_of_step; ++column) {
      const std::int32_t above =
          lane_ == 0 ? static_cast<std::int32_t>(north_.words[column]) : from_above_[column];
      std::int32_t diagonal = north_west;
      std::int32_t north = above;
      for (unsigned row = 0; row < rows_of_lane; ++row) {
        const std::int32_t west = west_[row];
        const std::int32_t matched = select_[row].add(similar_.words[column], diagonal);
        north = max_of(matched, west, north);
        diagonal = west;
        west_[row] = north;
        rows[row].words[column] = static_cast<std::uint32_t>(north);
      }
      from_above_[column] = __shfl_up_sync(all_lanes, north, 1);
      north_west = above;
    }
    corner_ = north_west;
  }

  /// Waits for the inflow's places from this one, as many as one poll covers.
  __device__ void await_inflow(unsigned place) {
    if (!__all_sync(all_lanes, !Sizes::is_empty(peeked_)))
      in_time_ &= await_word(shared_.inflow[peeked_word(place)], watchdog_);
    __syncwarp();  // makes what one lane saw there readable by the others
  }
  /// Out of line and without the object, which stays in registers.
  /// \returns false when the watchdog ended the wait.
  __device__ FINESYNC_OUT_OF_LINE static bool await_word(cell<std::uint32_t>& word,
                                                         watchdog_ref watchdog) {
    return await_by_warp(watchdog, awaited::token, [&] {
      return !Sizes::is_empty(state_word(word).load(memory_order::relaxed));
    });
  }
  __device__ std::uint32_t peek(unsigned place) const {
    return state_word(shared_.inflow[peeked_word(place)]).load(memory_order::relaxed);
  }
  /// A word of those places, a different one in each lane.
  __device__ static unsigned peeked_word(unsigned place) {
    return inflow_word<Sizes>(place) + lane_id() % (poll_every * columns_of_step);
  }

  // The other conditions of half a ring of stages: similarities, free tiles, and room to forward.
  // `stage` is its first.

  __device__ bool is_ready_by_now(unsigned stage) {
    const bool is_scored = shared_.similarity_ring.consumer_ready_by_now(half_in_rings(stage));
    const bool is_free = shared_.tile_ring.producer_acquire_by_now(half_in_rings(stage));
    const std::uint32_t freed =
        atomic_ref<std::uint32_t, scope::block>(shared_.seen_freed).load(memory_order::acquire);
    freed_ = freed_ < freed ? freed : freed_;
    return is_scored & is_free & has_room(stage, is_ring_, freed_);
  }
  __device__ void await_half(unsigned stage) {
    freed_ = await_half(shared_, half_in_rings(stage), stage, is_ring_, freed_, watchdog_);
    in_time_ &= freed_ != ended;
  }
  /// Out of line and without the object, which stays in registers.
  /// \param freed last known number of stages that the next block has freed.
  /// \returns the current number; `ended` when the watchdog ended a wait.
  __device__ FINESYNC_OUT_OF_LINE static std::uint32_t await_half(storage& shared, unsigned half,
                                                                  unsigned stage, bool is_ring,
                                                                  std::uint32_t freed,
                                                                  watchdog_ref watchdog) {
    if (!await_by_warp(watchdog, awaited::token,
                       [&] { return shared.similarity_ring.consumer_ready(half); }) ||
        !await_by_warp(watchdog, awaited::empty_channel,
                       [&] { return shared.tile_ring.producer_acquire(half); }))
      return ended;
    if (__all_sync(all_lanes, has_room(stage, is_ring, freed))) return freed;
    return await_by_warp(watchdog, awaited::empty_channel,
                         [&] {
                           freed = state_word(shared.next_freed).load(memory_order::acquire);
                           return has_room(stage, is_ring, freed);
                         })
               ? freed
               : ended;
  }
  /// Whether the places are free that the strip forwards in the half that begins with this stage.
  __device__ static bool has_room(unsigned stage, bool is_ring, std::uint32_t freed) {
    constexpr unsigned stages_of_ring = Sizes::room / steps_of_stage;
    const unsigned last = stage + stages_of_half<Sizes> - 1;
    return !is_ring || last < stages_behind + stages_of_ring + freed;
  }

  /// Index in row_ of the places forwarded in this stage. The last lane is one group ahead of the
  /// stage `stages_behind` earlier, and places are counted accordingly.
  __device__ std::size_t place_to(unsigned stage) const {
    if (stage + 1 == stages_behind) return 0;
    const std::size_t place = steps_of_stage * std::size_t{stage - stages_behind};
    return columns_of_step * (steps_of_stage + (is_ring_ ? place % Sizes::inflow : place));
  }

  __device__ unsigned half_in_rings(unsigned stage) const {
    return first_half_ + half_of<Sizes>(stage);
  }
  __device__ unsigned part(unsigned stage) const {
    return part_of<Sizes>(half_in_rings(stage), place_in_half<Sizes>(stage));
  }
  __device__ const cell<quad>* similarities_of(unsigned stage) const {
    return shared_.similarities[part(stage)][lane_id()];
  }

  static constexpr unsigned all_lanes = 0xffffffffu;
  static constexpr std::uint32_t ended = ~std::uint32_t{0};

  storage& shared_;
  const strip_position& at_;
  unsigned first_half_;
  const watchdog_ref& watchdog_;
  unsigned lane_;
  bool hands_on_;
  bool is_ring_ = false;
  cell<std::uint32_t>* row_;  ///< destination of the last row, if it is forwarded
  std::uint32_t freed_ = 0;   ///< last known number of stages that the next block has freed
  bool in_time_ = true;       ///< no wait has been ended by the watchdog

  quad north_{};    ///< input of the first lane in the next step
  quad similar_{};  ///< similarities of the next step
  std::uint32_t peeked_ = 0;
  std::int32_t west_[rows_of_lane] = {};
  std::int32_t from_above_[columns_of_step] = {};
  std::int32_t corner_ = 0;  ///< north-western neighbour of the next step
  byte_selector select_[rows_of_lane] = {byte_selector(0), byte_selector(1), byte_selector(2),
                                         byte_selector(3)};
};

}  // namespace finesync::nw
