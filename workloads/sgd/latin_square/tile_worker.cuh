// A warp processes the ratings of a tile run by run. The vector that all ratings of a run share
// (the common vector) is in registers:
//
//|  a user's run       by all lanes, as many ratings at a time as a warp has vectors
//|  a long movie's run the same
//|  short movies' runs one per group of lanes that shares a vector, rating by rating
//
// A short run's movie is locked during the whole run. Long runs are in pieces, and several warps
// may each have a piece. A warp therefore locks the common vector only for the last part of a step,
// and waits for that lock. It locks each other vector for the vector's own step, by a single try.
// If the try fails, the rating is retried after most others of the run. Users with a run of their
// own are in no movie's run.
//
// No cycle can form. A warp that waits for a common vector holds other vectors or none. A warp that
// holds a common vector waits for nothing. A group that holds a short run's movie only tries.
#pragma once

#include "tiles.hpp"
#include "warp_update.cuh"

#include <finesync/device/atomic_ref.cuh>
#include <finesync/device/warp.cuh>
#include <finesync/device/watchdog.cuh>
#include <finesync/locks/tas_lock.cuh>
#include <workloads/sgd/step.cuh>

#include <cstdint>

namespace finesync::sgd {

/// A block's tile and its users, all in shared memory except the less popular movies.
/// \tparam Lock try-lock of a user or a movie.
template <class Feature, unsigned Features, class Lock>
struct tile_state {
  cell<four<Feature>>* users;
  cell<four<Feature>>* staged;  ///< the most popular movies of the group
  unsigned staged_movies;
  typename Lock::state* user_locks;
  typename Lock::state* movie_locks;
  const cell<float>* values;  ///< by kind
  const cell<float>* powers;  ///< as power_of_decay() defines
  cell<std::uint32_t>* next;  ///< next run that no warp has taken
  cell<std::uint32_t>* entries;
  const cell<run>* runs;
  run_numbers numbers;
  vectors_ref<Feature, Features> movies;
  group_assignment movie_groups;
  unsigned movie_group;
  tile_layout layout;
};

/// \tparam PerGroup ratings that a group of lanes processes at a time in a whole warp's run.
template <class Feature, unsigned Features, class Lock, unsigned PerGroup>
class tile_worker {
  using layout = lane_layout<Features>;
  using step = warp_update<Features, PerGroup>;
  static constexpr unsigned lanes = layout::lanes;
  static constexpr unsigned at_once = layout::at_once;
  static constexpr unsigned all_lanes = layout::all_lanes;

 public:
  using scratch = typename step::scratch;

  __device__ tile_worker(const tile_state<Feature, Features, Lock>& at, scratch& own,
                         const watchdog_ref& watchdog)
      : at_(at), step_(own, at.values, at.powers), wait_(watchdog, awaited::lock) {}

  /// Takes runs until none is left. \returns false when the watchdog ended a wait, the same in all
  /// lanes of the warp.
  __device__ bool run_all() {
    const unsigned users = at_.numbers.users;
    const unsigned longs = users + at_.numbers.longs;
    const unsigned all = longs + at_.numbers.shorts;
    const unsigned portions = longs + (all - longs + at_once - 1) / at_once;
    while (true) {
      unsigned portion = 0;
      if (me_.lane == 0)
        portion =
            atomic_ref<std::uint32_t, scope::block>(*at_.next).fetch_add(1, memory_order::relaxed);
      portion = __shfl_sync(all_lanes, portion, 0);
      if (portion >= portions) return true;
      bool done = false;
      if (portion < users) {
        done = take_run<side::user>(at_.runs[portion]);
      } else if (portion < longs) {
        done = take_run<side::movie>(at_.runs[portion]);
      } else {
        const unsigned mine = longs + (portion - longs) * at_once + me_.group;
        const bool is_there = mine < all;
        done = take_shorts(at_.runs[is_there ? mine : longs], is_there);
      }
      if (!done) return false;
    }
  }

 private:
  using vector_part = four<Feature>;
  using lock_state = typename Lock::state;
  enum class side { user, movie };

  /// The remaining ratings of a run: those from `next` up to `end` are untried, and those from the
  /// run's begin up to `kept` have failed once.
  struct left {
    unsigned begin;
    unsigned next;
    unsigned kept;
    unsigned end;

    __device__ explicit left(const run& of)
        : begin(of.begin), next(begin), kept(begin), end(begin + of.length) {}
    __device__ unsigned number() const { return end - next; }
    __device__ bool has_refused() const { return kept != begin; }
    /// \returns whether any are left.
    __device__ bool go_on(unsigned tried, unsigned refused) {
      next += tried;
      kept += refused;
      if (next < end) return true;
      end = kept;
      next = kept = begin;
      return next < end;
    }
    /// Retries the failed ratings together with the untried ones, which were copied after them.
    __device__ void join() {
      end = kept + number();
      next = kept = begin;
    }
  };

  __device__ cell<vector_part>& part_of_movie(std::uint32_t movie) const {
    if (movie < at_.staged_movies) return at_.staged[movie * lanes + me_.part];
    return at_.movies[at_.movie_groups.id_of(at_.movie_group, movie)][me_.part];
  }
  __device__ cell<vector_part>& part_of_user(std::uint32_t user) const {
    return at_.users[user * lanes + me_.part];
  }
  template <side Side>
  __device__ cell<vector_part>& part_of(std::uint32_t which) const {
    if constexpr (Side == side::user) {
      return part_of_user(which);
    } else {
      return part_of_movie(which);
    }
  }

  /// One lane of each group tries. \param wanted the same in all lanes of the group. If the try
  /// succeeds, the whole group has acquired the lock after the next __syncwarp().
  __device__ bool try_lock(lock_state* locks, std::uint32_t which, bool wanted) {
    if (!wanted || !me_.leads()) return false;
    typename Lock::acquisition r = {};
    return Lock(locks[which]).try_enter(r);
  }
  /// \returns the leading lanes of groups that acquired their lock.
  __device__ unsigned lock(lock_state* locks, std::uint32_t which, bool wanted) {
    const unsigned won = __ballot_sync(all_lanes, try_lock(locks, which, wanted));
    __syncwarp();
    return won;
  }
  /// Called after a __syncwarp() that follows the group's writes.
  __device__ void unlock(lock_state* locks, std::uint32_t which, bool mine) {
    if (!mine || !me_.leads()) return;
    typename Lock::acquisition r = {};
    Lock(locks[which]).leave(r);
  }
  /// Locks a short run's movie for the whole run. Only users' runs compete, for a step at a time.
  __device__ bool lock_movie(std::uint32_t movie, bool wanted) {
    if (at_.numbers.users == 0) return true;
    wait_.restart();
    while (__any_sync(all_lanes, wanted)) {
      if (layout::has(lock(at_.movie_locks, movie, wanted), me_.group)) wanted = false;
      if (__any_sync(all_lanes, wanted && wait_.timed_out())) return false;
    }
    return true;
  }
  __device__ void unlock_movie(std::uint32_t movie, bool mine) {
    if (at_.numbers.users == 0) return;
    __syncwarp();
    unlock(at_.movie_locks, movie, mine);
  }
  /// \returns false if no group makes progress and the watchdog has fired.
  __device__ bool may_go_on(unsigned won) {
    if (won != 0) {
      wait_.restart();
      return true;
    }
    return __any_sync(all_lanes, wait_.timed_out()) == 0;
  }

  /// Processes a short run of a movie in each group that has one.
  __device__ bool take_shorts(run mine, bool is_there) {
    if (!lock_movie(mine.of, is_there)) return false;
    left open(mine);
    bool active = is_there;
    vector_part movie = {};
    if (active) movie = part_of_movie(mine.of);
    while (__any_sync(all_lanes, active)) {
      std::uint32_t entry = 0;
      if (active) entry = at_.entries[open.next];
      const std::uint32_t user = at_.layout.user_of(entry);
      const unsigned won = lock(at_.user_locks, user, active);
      const bool got = layout::has(won, me_.group);
      vector_part of_user = {};
      if (got) of_user = part_of_user(user);
      take(of_user, movie, entry, got);
      if (got) part_of_user(user) = of_user;
      if (active && !got && me_.leads()) at_.entries[open.kept] = entry;
      __syncwarp();
      unlock(at_.user_locks, user, got);
      if (!may_go_on(won)) return false;
      if (active && !open.go_on(1, got ? 0 : 1)) {
        part_of_movie(mine.of) = movie;
        active = false;
      }
    }
    unlock_movie(mine.of, is_there);
    return true;
  }

  /// A step of one user and one movie by the lanes of each group; all lanes call it.
  __device__ void take(four<float>& user, four<float>& movie, std::uint32_t entry, bool got) {
    const float predicted = layout::sum(product(user, movie));
    if (!got) return;
    const float moved = learning_rate * (at_.values[tile_layout::kind_of(entry)] - predicted);
    const four<float> before = user;
    user = mixed(decay, user, moved, movie);
    movie = mixed(decay, movie, moved, before);
  }
  __device__ void take(four<std::uint32_t>& user, four<std::uint32_t>& movie, std::uint32_t entry,
                       bool got) {
    if (!got) return;
    user = plus(user, counted(tile_layout::kind_of(entry)));
    movie = plus(movie, counted(tile_layout::kind_of(entry)));
  }

  /// Waits for the lock of a long run's common vector. \returns false when the watchdog ended the
  /// wait.
  __device__ bool lock_common(lock_state* locks, std::uint32_t which) {
    wait_.restart();
    while (__any_sync(all_lanes, try_lock(locks, which, me_.group == 0)) == 0) {
      if (__any_sync(all_lanes, wait_.timed_out()) != 0) return false;
    }
    __syncwarp();
    return true;
  }

  /// Joins the last, less than full, batch of ratings with those that failed, so that a run has
  /// only one step that is not full.
  __device__ void join_refused(left& open) {
    const unsigned number = open.number();
    std::uint32_t own = 0;
    if (me_.lane < number) own = at_.entries[open.next + me_.lane];
    __syncwarp();
    if (me_.lane < number) at_.entries[open.kept + me_.lane] = own;
    __syncwarp();
    open.join();
  }

  /// \tparam Common side of the common vector. \param all by value: from shared memory it would be
  /// read repeatedly while the common vector is locked.
  template <side Common>
  __device__ bool take_run(run all) {
    constexpr side other = Common == side::user ? side::movie : side::user;
    lock_state* const locks = other == side::user ? at_.user_locks : at_.movie_locks;
    lock_state* const common_locks = other == side::user ? at_.movie_locks : at_.user_locks;
    constexpr unsigned at_a_time = PerGroup * at_once;
    left open(all);
    bool more = true;
    while (more) {
      if (open.number() < at_a_time && open.has_refused()) join_refused(open);
      const unsigned number = open.number();
      bool wanted[PerGroup];
      std::uint32_t entry[PerGroup];
      std::uint32_t which[PerGroup];
      bool got[PerGroup];
      for (unsigned c = 0; c < PerGroup; ++c) {
        const unsigned mine = c * at_once + me_.group;
        wanted[c] = mine < number;
        entry[c] = at_.entries[open.next + (wanted[c] ? mine : 0)];
        which[c] =
            other == side::user ? at_.layout.user_of(entry[c]) : at_.layout.movie_of(entry[c]);
        got[c] = try_lock(locks, which[c], wanted[c]);
      }
      unsigned won[PerGroup];
      unsigned any = 0;
      for (unsigned c = 0; c < PerGroup; ++c) any |= won[c] = __ballot_sync(all_lanes, got[c]);
      __syncwarp();
      if (any != 0) {
        vector_part own[PerGroup] = {};
        for (unsigned c = 0; c < PerGroup; ++c) {
          got[c] = layout::has(won[c], me_.group);
          if (got[c]) own[c] = part_of<other>(which[c]);
        }
        step_.prepare(own, entry, won);
        if (!lock_common(common_locks, all.of)) return false;
        vector_part common = part_of<Common>(all.of);  // the same in every group
        step_.move_common(common, entry, won);
        __syncwarp();  // all groups have read it
        if (me_.group == 0) part_of<Common>(all.of) = common;
        __syncwarp();
        unlock(common_locks, all.of, me_.group == 0);
        step_.move_own(own, entry, won);
        for (unsigned c = 0; c < PerGroup; ++c)
          if (got[c]) part_of<other>(which[c]) = own[c];
      }
      unsigned refused = 0;
      for (unsigned c = 0; c < PerGroup; ++c) {
        const bool again = wanted[c] && !got[c] && me_.leads();
        const unsigned with_me = __ballot_sync(all_lanes, again);
        if (again) at_.entries[open.kept + refused + lanes_below(with_me)] = entry[c];
        refused += static_cast<unsigned>(__popc(with_me));
      }
      __syncwarp();
      for (unsigned c = 0; c < PerGroup; ++c) unlock(locks, which[c], got[c]);
      if (!may_go_on(any)) return false;
      more = open.go_on(number < at_a_time ? number : at_a_time, refused);
    }
    return true;
  }

  const tile_state<Feature, Features, Lock>& at_;
  step step_;
  bounded_wait wait_;
  layout me_;
};

}  // namespace finesync::sgd
