// SPDX-License-Identifier: Apache-2.0
// A barrier of any set of blocks. Many teams are alive in one grid, and a block may belong to
// several: to its row and its column of a matrix, for example. Small teams have a word per member,
// large ones a counter:
//
//|  up to 16 members   a member stores its round in its own word; lane i of every member polls word
//|                     i. The words share a line, so a poll of all of them is one load
//|  more               all members add to one counter, which all of them poll
//
// Each side of the L2 has a copy of the line (l2_lines.cuh): a member writes on both sides and
// polls on its own.
//
// Use: auto team = ref.join({.team = row, .rank = column, .members = columns}, watchdog);
//      if (!team.wait()) return;
//   or split-phase, see overlap.cuh.
// Participants: all threads of the blocks of one team; every member calls wait() equally often.
// Scope: device.
// Ordering: block barrier; release fence by each lane that writes; relaxed stores or additions, and
//   polls; acquire fence by each lane; block barrier. A word has one writer, and a counter's
//   additions are one release sequence, so the polls synchronize with every arrival.
// Progress: blocking; the members of a team must be resident together, which a cooperative launch
//   guarantees. Blocks of two teams can wait for each other in a circle, as with any two barriers:
//   blocks that are in several teams pass them in one order.
// Traffic per member: two stores or additions, and polls of one line.
// Fairness: none needed: the last arrival lets all go.
// Reset: only after a kernel whose wait timed out, or before a team has other members than in the
//   launch before.
// Source: ours. CUTLASS's barrier (cutlass_counter_barrier.cuh) is of one counter, polled by one
//   thread with acquire loads.
#pragma once

#include "finesync/barriers/counter_participant.cuh"
#include "finesync/barriers/epoch_counter.cuh"
#include "finesync/barriers/overlap.cuh"
#include "finesync/device/atomic_ref.cuh"
#include "finesync/device/await.cuh"
#include "finesync/device/l2_lines.cuh"
#include "finesync/device/numbering.cuh"
#include "finesync/device/ptx/sleep.cuh"
#include "finesync/device/require.cuh"
#include "finesync/device/wrap_around.cuh"
#include "finesync/host/l2_lines.cuh"
#include "finesync/host/stream.cuh"

#include <cstdint>

namespace finesync::inline FINESYNC_ABI {

/// A block's place in a team.
struct team_place {
  unsigned team;     ///< number of the team, from 0
  unsigned rank;     ///< from 0: the block's own among the members
  unsigned members;  ///< blocks of the team, 1 to 2^20; the same for all of them
};

/// \tparam Fences of the barrier, as a policy, so that tests can leave one out.
template <class Fences = counter_fences>
class basic_team_barrier {
  using word = cell<std::uint32_t>;
  using counter = atomic_ref<std::uint32_t, scope::device>;

  /// The last word of a line, after those of the members.
  static constexpr unsigned members_word = line_bytes / sizeof(std::uint32_t) - 1;

  class member {
   public:
    static constexpr unsigned callers = 32;  ///< threads of a block that call the functions below

    __device__ bool sync_for_block() {
      arrive_for_block();
      pause_cycles(first_poll_);
      return wait_for_block();
    }

    __device__ void arrive_for_block() const {
      if (written_ == nullptr) return;
      Fences::release();
      const counter mine(*written_);
      if (writes_alone_)
        mine.store(target_, memory_order::relaxed);
      else
        mine.fetch_add(increment_, memory_order::relaxed);
    }

    __device__ bool wait_for_block() {
      std::uint32_t seen = 0;
      const auto has_come = [&] {
        seen = counter(*polled_).load(memory_order::relaxed);
        return has_reached(seen, target_);
      };
      const bool in_time = await(watchdog_, awaited::blocks, has_come, [&] {
        return wait_evidence{seen, target_};
      });
      if (!in_time) return false;
      Fences::acquire();
      target_ += epoch_;
      return true;
    }

   private:
    friend class basic_team_barrier;
    __device__ explicit member(const watchdog_ref& watchdog) : watchdog_(watchdog) {}

    watchdog_ref watchdog_;
    word* written_ = nullptr;    ///< that this lane writes, if it does
    word* polled_ = nullptr;     ///< that this lane polls
    bool writes_alone_ = false;  ///< no other member writes it: a store is cheaper than an addition
    std::uint32_t increment_ = 1;  ///< amount that this lane adds otherwise
    std::uint32_t epoch_ = 1;      ///< amount that one barrier adds to the polled word
    std::uint32_t target_ = 0;
    unsigned first_poll_ = 0;
  };

 public:
  using participant = with_overlap<member>;

  /// Members of a team that have a word each: the lanes of a small block poll fewer.
  __device__ static unsigned most_by_words() { return block_threads() < 16 ? block_threads() : 16; }

  /// The device side; trivially copyable, passed by value.
  class ref_type {
   public:
    explicit ref_type(const l2_lines_ref& lines) : lines_(lines) {}

    /// All threads of a member call it, before the kernel's first wait. It does not wait. Ends
    /// the kernel if an earlier member gave another number of members.
    __device__ participant join(const team_place& place, const watchdog_ref& watchdog) const {
      require_on_executor(place.rank < place.members, "team_barrier: rank beyond the members");
      if (is_first_of_block()) check_members(place);
      const unsigned lane = thread_rank();
      const unsigned sides = block_threads() < 2 ? 1 : 2;
      const unsigned own_side = sides == 1 ? 0 : lines_.side();
      const bool by_words = place.members <= most_by_words();
      member m(watchdog.watching(place.team));
      m.writes_alone_ = by_words;
      if (lane < sides) m.written_ = &in_line(lane, place.team, by_words ? place.rank : 0);
      m.polled_ = &in_line(own_side, place.team, by_words ? lane % place.members : 0);
      // No barrier is complete without this block. So its own word has the number of the last one,
      // and a counter has not gone beyond the next.
      const std::uint32_t now = counter(in_line(own_side, place.team, by_words ? place.rank : 0))
                                    .load(memory_order::relaxed);
      if (by_words) {
        m.target_ = now + 1;
      } else {
        const epoch_counter arrivals(place.members);
        m.increment_ = arrivals.increment(place.rank == 0);
        m.epoch_ = arrivals.epoch();
        m.target_ = arrivals.target(now);
      }
      m.first_poll_ = first_poll_of(place.members);
      return participant(m);
    }

   private:
    __device__ word& in_line(unsigned side, unsigned team, unsigned index) const {
      return (&lines_.line(side, team))[index];
    }

    __device__ void check_members(const team_place& place) const {
      std::uint32_t given = 0;
      const bool first = counter(in_line(0, place.team, members_word))
                             .compare_exchange(given, place.members, memory_order::relaxed);
      require(first || given == place.members,
              "team_barrier: the members of a team do not agree how many they are");
    }

    /// Cycles from the arrival to the first poll, as an earlier one would see only that some are
    /// missing. On an H100 teams of 16 gain 0.05 us, those of two or four lose half of it.
    __device__ static unsigned first_poll_of(unsigned members) {
      return members < 8 ? 0 : members <= 16 ? 100 : 200;
    }

    l2_lines_ref lines_;
  };

  /// \param teams numbers of teams that blocks may use.
  /// \throws std::bad_alloc if device memory is used up.
  explicit basic_team_barrier(unsigned teams, const stream& on = {}) : lines_(teams, on) {}

  /// Forgets the members of all teams, in stream order.
  void reset() { lines_.reset(); }
  ref_type ref() const { return ref_type(lines_.ref()); }

 private:
  l2_lines lines_;
};

using team_barrier = basic_team_barrier<>;

}  // namespace finesync::inline FINESYNC_ABI
