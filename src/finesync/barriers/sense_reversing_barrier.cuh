// The thesis's sense-reversing tree barrier (SRB): the last block to arrive on an SM is its leader
// for this time and counts for it at the grid's counter; the last leader there reverses the sense
// that all wait for.
//
//      SM 0:  b b b ──count──> the last ──┐
//      SM 1:  b b b ──count──> the last ──┴─count──> the very last ──reverses──> sense of the grid
//                                                                                  ^ watched by all
//
// As the sense takes the other value each time, "passed" never has to be set back, and one meeting
// on the SM is enough where the atomic tree needs two.
//
// Participants: all threads of a cooperative grid; wait_on_sm(): of the blocks of one SM.
// Scope: device.
// Ordering: block barrier; release fence by thread 0; relaxed additions, which on each counter are
//   one release sequence; acq_rel fence of each last arriver before it tells others; relaxed looks
//   at the sense, then one acquire fence; block barrier.
// Progress: blocking; every block must be resident and run.
// Traffic: per block one addition, none for a block that is alone on its SM; per SM one addition on
//   the grid's word. Every look is a load.
// Fairness: all pass once.     Reset: see grid_barrier.cuh.
// Source: thesis, section 3.1, listings 3.1 and 3.2. Different: the last arriver is told so by what
//   its addition returned, and sets the count back with a store; the listings' leader looks by
//   compare-exchange, and reads which block leads from a word that the next one may overwrite. The
//   SM's own sense, which nobody watches during wait(), turns only where it is watched. Fences are
//   those of the device, as the blocks of an SM are different blocks.
#pragma once

#include "finesync/barriers/tree_barrier.cuh"

namespace finesync {

/// What the blocks that do not lead watch.
enum class watched_sense {
  of_grid,  ///< as in the thesis: one trip, and all blocks look at one line
  of_sm,    ///< their leader reverses it in turn: one trip more, few lookers per line
};

/// Of use in thread 0 of each block, which alone arrives and looks.
template <class Backoff, watched_sense Watched, class Fences>
class sense_reversing_member {
 public:
  struct level {
    alignas(line_bytes) cell<std::uint32_t> arrived;
    alignas(line_bytes) cell<std::uint32_t> sense;
  };

  // The senses are read before the block has first arrived: till then nobody can reverse them.
  __device__ sense_reversing_member(level& grid, level& sm, const sm_place& place,
                                    const watchdog_ref& dog)
      : grid_(grid),
        sm_(sm),
        grid_sense_(word(grid.sense).load(memory_order::relaxed)),
        sm_sense_(word(sm.sense).load(memory_order::relaxed)),
        place_(place),
        dog_(dog) {}

  __device__ bool wait() {
    return by_first_thread([this] {
      if (!place_.ok) return false;
      const bool leader = is_last_on_sm();
      grid_sense_ ^= 1;
      if (leader) arrive_at_grid();
      if (!await_release(leader)) return false;
      Fences::receive();
      return true;
    });
  }

  __device__ bool wait_on_sm() {
    return by_first_thread([this] {
      if (!place_.ok) return false;
      if (place_.blocks == 1) return true;
      const bool last = is_last_on_sm();
      sm_sense_ ^= 1;
      if (last) reverse(sm_, sm_sense_);
      if (!await<no_backoff>(sm_.sense, sm_sense_, dog_)) return false;
      Fences::receive();
      return true;
    });
  }

 private:
  using word = atomic_ref<std::uint32_t, scope::device>;

  /// The last to arrive sets the count back: the others touch it again only when released.
  __device__ static bool is_last(level& at, unsigned expected) {
    if (word(at.arrived).fetch_add(1, memory_order::relaxed) + 1 < expected) return false;
    word(at.arrived).store(0, memory_order::relaxed);
    return true;
  }

  __device__ bool is_last_on_sm() {
    if (place_.blocks == 1) return true;
    Fences::publish();
    return is_last(sm_, place_.blocks);
  }

  __device__ void arrive_at_grid() {
    Fences::pass_on();
    if (is_last(grid_, place_.groups)) reverse(grid_, grid_sense_);
  }

  __device__ static void reverse(level& at, std::uint32_t sense) {
    Fences::pass_on();
    word(at.sense).store(sense, memory_order::relaxed);
  }

  __device__ bool await_release([[maybe_unused]] bool leader) {
    if constexpr (Watched == watched_sense::of_sm) {
      if (place_.blocks > 1) {
        sm_sense_ ^= 1;
        if (!leader) return await<no_backoff>(sm_.sense, sm_sense_, dog_);
        if (!await<Backoff>(grid_.sense, grid_sense_, dog_)) return false;
        reverse(sm_, sm_sense_);
        return true;
      }
    }
    return await<Backoff>(grid_.sense, grid_sense_, dog_);
  }

  level& grid_;
  level& sm_;
  std::uint32_t grid_sense_;
  std::uint32_t sm_sense_;
  sm_place place_;
  watchdog_ref dog_;
};

/// \tparam Backoff between looks at the sense of the grid.
template <class Backoff = no_backoff, watched_sense Watched = watched_sense::of_grid,
          class Fences = tree_fences>
using sense_reversing_barrier = tree_barrier<sense_reversing_member<Backoff, Watched, Fences>>;

static_assert(grid_barrier<sense_reversing_barrier<>::handle>);

}  // namespace finesync
