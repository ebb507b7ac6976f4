// SPDX-License-Identifier: Apache-2.0
// Sections of several lanes of a warp that want the same datum, run as one. The warp takes that
// datum once for all of them and passes it from lane to lane in registers.
//
//|  leader         takes the common datum
//|  each lane      takes its own other datum
//|  all together   dry-run the sections lane after lane: the common datum that each will find;
//|                 sections with the same other datum come after the lane that took it
//|  leader         stores the common datum back
//|  each lane      runs its section with the data found, and stores its other datum back
//
// A hand-off of the common datum thus takes as long as a section. Through its word, it would take a
// round trip to shared memory, in competition with all other threads that want it.
//
// Participants: all lanes of a warp; any number of warps, also warps that take their words one by
//   one (multi_object/full_empty_pair.cuh).
// Scope: block.
// Ordering: relaxed, as that of full_empty_pair; sections run in the order of their lanes.
// Progress: no word is held while waiting. First words are taken before second ones, as in
//   full_empty_pair::try_one_by_one(). A thread that gets a second word has all it needs, so some
//   thread always succeeds.
// Traffic: for the common word, a load, an exchange and a store for all lanes; for each other word,
//   an exchange and a store.
#pragma once

#include "finesync/conflict_free/pair_schedule.cuh"
#include "finesync/device/atomic_ref.cuh"
#include "finesync/device/cell.cuh"
#include "finesync/device/platform.cuh"
#include "finesync/device/ptx/sleep.cuh"
#include "finesync/device/warp.cuh"
#include "finesync/device/watchdog.cuh"
#include "finesync/multi_object/pair_section.cuh"

namespace finesync::inline FINESYNC_ABI {
namespace detail {

/// Lanes of a warp that want the same first datum, or the same second one.
struct hot_lanes {
  unsigned lanes = 0;
  bool first = false;

  __device__ bool has(unsigned lane) const { return (lanes >> lane & 1) != 0; }
};

/// Finds the `waiting` lanes of a warp that want one of the two data of its first waiting lane.
/// Returns none if they are few, as a warp takes as long for a few lanes as for all. Called by all
/// lanes.
template <class Entry, class Section>
__device__ hot_lanes find_hot_lanes(unsigned waiting, const Entry& entry, const Section& section) {
  constexpr int fewest = 8;
  if (__popc(waiting) < fewest) return {};
  const auto warp = lane_group::whole_warp();
  const object_pair own = section.places_of(entry);
  const object_pair wanted =
      section.places_of(warp.get(entry, __ffs(static_cast<int>(waiting)) - 1));
  const unsigned first = warp.ballot(own.first == wanted.first) & waiting;
  const unsigned second = warp.ballot(own.second == wanted.second) & waiting;
  const bool share_first = __popc(first) >= __popc(second);
  const unsigned most = share_first ? first : second;
  if (__popc(most) < fewest) return {};
  return {most, share_first};
}

/// The sections of hot lanes. \tparam First whether all of them share the first datum, or the
/// second.
template <bool First, class Datum, class Entry, class Section>
class warp_combined_sections {
  using atomic_word = atomic_ref<Datum, scope::block>;
  static constexpr memory_order relaxed = memory_order::relaxed;
  static constexpr Datum empty = Section::empty;
  static constexpr unsigned at_once = 4;

 public:
  __device__ warp_combined_sections(unsigned members, cell<Datum>& first, cell<Datum>& second,
                                    const Entry& entry, const Section& section)
      : members_(members),
        leader_(first_of(members)),
        common_word_(First ? first : second),
        own_word_(First ? second : first),
        entry_(entry),
        section_(section) {}

  /// \returns false when the watchdog ended the wait for the common datum.
  __device__ bool take(bounded_wait& wait) {
    while (true) {
      Datum seen = 0;
      if (leads()) seen = common_word_.load(relaxed);
      if (!warp_.any(seen == empty) && try_to_take()) return true;
      if (warp_.any(wait.timed_out())) return false;
      sleep_ns(400);  // polls would delay the warp that holds the datum
    }
  }

  /// Computes the data that each section will find, and those that the last one leaves.
  __device__ void dry_run() {
    const unsigned ready = warp_.ballot(own_ != empty);
    dry_run_in_turn<false>(ready, own_);
    left_ = own_;
    if (own_ != empty) {
      Datum again = found_;
      dry_run_one(again, left_, entry_);
    }
    ran_ = ready;
    // A lane whose own datum another member holds runs after that member.
    const unsigned place = own_place_in(entry_);
    for (unsigned rest = members_ & ~ready; rest != 0;) {
      const unsigned wanted = own_place_in(warp_.get(entry_, first_of(rest)));
      const unsigned same = warp_.ballot(place == wanted) & members_;
      const unsigned behind = same & rest;
      rest &= ~behind;
      if ((same & ready) == 0) continue;
      const int owner = first_of(same & ready);
      Datum theirs = warp_.get(left_, owner);
      dry_run_in_turn<true>(behind, theirs);
      if (static_cast<int>(lane_id()) == owner) left_ = theirs;
      ran_ |= behind;
    }
    if (leads()) common_word_.store(common_, relaxed);
  }

  /// Each member runs its section, if it has both data.
  template <class Run>
  __device__ void run(const Run& run) {
    if ((ran_ >> lane_id() & 1) == 0) return;
    if constexpr (First)
      run(found_, own_);
    else
      run(own_, found_);
    if (!is_behind_) own_word_.store(left_, relaxed);
  }

 private:
  __device__ static int first_of(unsigned lanes) { return __ffs(static_cast<int>(lanes)) - 1; }
  __device__ bool leads() const { return static_cast<int>(lane_id()) == leader_; }
  __device__ bool is_member() const { return (members_ >> lane_id() & 1) != 0; }
  __device__ unsigned own_place_in(const Entry& entry) const {
    const object_pair places = section_.places_of(entry);
    return First ? places.second : places.first;
  }

  /// First words before second ones.
  __device__ bool try_to_take() {
    if constexpr (First) {
      take_common();
      if (common_ == empty) return false;
      take_own();
      return true;
    } else {
      take_own();
      if (warp_.any(own_ != empty)) {
        take_common();
        if (common_ != empty) return true;
      }
      if (own_ != empty) own_word_.store(own_, relaxed);
      return false;
    }
  }
  __device__ void take_common() {
    Datum value = empty;
    if (leads()) value = common_word_.exchange(empty, relaxed);
    common_ = warp_.get(value, leader_);
  }
  __device__ void take_own() {
    own_ = empty;
    if (is_member()) own_ = own_word_.exchange(empty, relaxed);
  }

  __device__ void dry_run_one(Datum& common, Datum& own, const Entry& entry) const {
    if constexpr (First)
      section_.dry_run(common, own, entry);
    else
      section_.dry_run(own, common, entry);
  }

  /// Dry-runs the sections of `lanes` in order. Their entries and data are fetched for several
  /// lanes at a time. After the last one, `no_op` entries fill up, so there is no branch.
  /// \param own this lane's own datum, or, \tparam Same, that of all these lanes.
  template <bool Same>
  __device__ void dry_run_in_turn(unsigned lanes, Datum& own) {
    FINESYNC_NO_UNROLL
    while (lanes != 0) {
      int lane[at_once];
      Entry entries[at_once];
      Datum values[at_once];
      for (unsigned i = 0; i < at_once; ++i) {
        lane[i] = first_of(lanes);  // -1: none
        const Entry theirs = warp_.get(entry_, lane[i]);
        entries[i] = lanes != 0 ? theirs : Entry(Section::no_op);
        if (!Same) values[i] = warp_.get(own, lane[i]);
        lanes &= lanes - 1;
      }
      for (unsigned i = 0; i < at_once; ++i) {
        if (static_cast<int>(lane_id()) == lane[i]) {
          found_ = common_;
          if (Same) {
            own_ = own;
            is_behind_ = true;
          }
        }
        dry_run_one(common_, Same ? own : values[i], entries[i]);
      }
    }
  }

  const lane_group warp_ = lane_group::whole_warp();
  unsigned members_;
  int leader_;
  atomic_word common_word_;
  atomic_word own_word_;
  const Entry& entry_;
  const Section& section_;
  Datum common_ = empty;    ///< the common datum
  Datum own_ = empty;       ///< this lane's own datum, as its section finds it
  Datum found_ = empty;     ///< the common datum, as its section finds it
  Datum left_ = empty;      ///< the final value of its own datum
  bool is_behind_ = false;  ///< another lane holds its own datum and stores it
  unsigned ran_ = 0;        ///< lanes that ran
};

template <bool First, class Datum, class Entry, class Section, class Run>
__device__ __forceinline__ bool run_combined(unsigned members, cell<Datum>& first,
                                             cell<Datum>& second, const Entry& entry,
                                             const Section& section, const Run& run,
                                             bounded_wait& wait) {
  warp_combined_sections<First, Datum, Entry, Section> all(members, first, second, entry, section);
  if (!all.take(wait)) return false;
  all.dry_run();
  all.run(run);
  return true;
}

/// Waits for the common datum of hot lanes, and runs the sections of the lanes that also get their
/// own datum. Called by all lanes of the warp.
/// \param run(first, second) runs the section of the calling lane.
/// \returns false when the watchdog ended the wait.
template <class Datum, class Entry, class Section, class Run>
__device__ __forceinline__ bool run_hot_lanes(const hot_lanes& of, cell<Datum>& first,
                                              cell<Datum>& second, const Entry& entry,
                                              const Section& section, const Run& run,
                                              bounded_wait& wait) {
  return of.first ? run_combined<true>(of.lanes, first, second, entry, section, run, wait)
                  : run_combined<false>(of.lanes, first, second, entry, section, run, wait);
}

}  // namespace detail
}  // namespace finesync::inline FINESYNC_ABI
