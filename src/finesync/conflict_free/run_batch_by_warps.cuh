// SPDX-License-Identifier: Apache-2.0
// Runs a batch in conflict-free rounds, one warp, in its own block, per pair of groups of data.
// While two groups are paired, each datum of one is paired with each of the other in turn
// (grouped_schedule.cuh). So in a round every lane has its own pair of data, in registers, and runs
// the sections of the pair's queue one after another. No atomics, no locks.
//
//|  group round m    warp k: groups objects_of(m, k)    load_groups ── rounds ── store_groups
//|                         lane i: (i, i), (i, i + 1), (i, i + 2) ...     │ group_handoff.cuh
//|  group round m+1  warp j: groups objects_of(m + 1, j)              load_groups <┘
//
// Meanwhile the entries of later rounds are copied to shared memory (round_prefetch.cuh).
//
// Use: run_batch_by_warps(schedule, queues, handoff, stage_size, section, watchdog, replies)
// Participants: all threads of all blocks of a cooperative grid of groups().pairs_per_round()
//   blocks of 32.
// Scope: device between blocks, warp within one.
// Ordering: between blocks, the handoff policy orders the groups; between the rounds of a group
//   round, the warp synchronizes. Sections of a pair run in the order of its queue, those of a
//   datum in the order of the rounds. Other data that a section accesses are not ordered.
// Progress: a block waits only for earlier group rounds, so no deadlock is possible. A round ends
//   with the longest queue of its warp.
// Residency: all blocks at once, as each waits for others; a cooperative launch guarantees it.
//   Every wait is bounded by the watchdog.
// Traffic: each entry once, in order; a word per pair and round; a word for 16 replies; each datum
//   once in and once out per group round.
// Reset: that of the policy.
#pragma once

#include "finesync/conflict_free/batch_replies.cuh"
#include "finesync/conflict_free/group_handoff.cuh"
#include "finesync/conflict_free/grouped_schedule.cuh"
#include "finesync/conflict_free/round_prefetch.cuh"
#include "finesync/device/cell.cuh"
#include "finesync/device/numbering.cuh"
#include "finesync/device/require.cuh"
#include "finesync/device/shared_storage.cuh"
#include "finesync/device/warp.cuh"
#include "finesync/device/watchdog.cuh"
#include "finesync/multi_object/pair_section.cuh"

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace finesync::inline FINESYNC_ABI {

namespace detail {

/// Runs up to entries_per_read sections of a lane's pair: the first `left` of them.
template <class Replies, class Entry, class Section, class Datum>
__device__ __forceinline__ void run_some(const Entry* entries, std::uint32_t left,
                                         std::uint32_t place, Section& section, Datum& first,
                                         Datum& second, reply_word& word) {
  if constexpr (runs_pairs<Section, Datum, Entry>) {
    for (unsigned i = 0; i < entries_per_read; i += 2) {
      const Entry one = i < left ? entries[i] : Entry(Section::no_op);
      const Entry two = i + 1 < left ? entries[i + 1] : Entry(Section::no_op);
      word.append_two(section.run_pair(first, second, one, two));
    }
  } else {
    for (unsigned i = 0; i < entries_per_read; ++i) {
      unsigned reply = 0;
      if (i < left) reply = call_section<Replies>(section, first, second, entries[i], place + i);
      word.append(reply);
    }
  }
}

/// Runs the sections of a round, one pair per lane of the warp.
template <class Entry, class Queue, class Section, class Datum, class Replies>
__device__ __forceinline__ void run_round(const Queue& queue, Section& section, Datum& first,
                                          Datum& second, const Replies& replies) {
  constexpr unsigned quads = entries_per_read * sizeof(Entry) / sizeof(quad);
  const std::uint32_t number = queue.end - queue.begin;
  const std::uint32_t longest = lane_group::whole_warp().max(number);
  quad next[quads] = {};
  const auto read = [&](std::uint32_t at) {
    if (at >= number) return;
    for (unsigned i = 0; i < quads; ++i) next[i] = queue.quads[at / entries_per_read * quads + i];
  };
  read(0);
  reply_word word;
  for (std::uint32_t at = 0; at < longest; at += entries_per_read) {
    Entry entries[entries_per_read];
    static_assert(sizeof entries == sizeof next);
    std::memcpy(&entries, &next, sizeof entries);
    read(at + entries_per_read);  // in flight while sections run
    run_some<Replies>(entries, at < number ? number - at : 0, queue.begin + at, section, first,
                      second, word);
    if constexpr (are_wanted<Replies>) {
      const std::uint32_t behind = at + entries_per_read;
      if (behind % reply_word::places != 0 && behind < longest) continue;
      const std::uint32_t begin = at / reply_word::places * reply_word::places;
      if (begin < number)
        replies.put((queue.begin + begin) / reply_word::places, word.filled(), false);
      word = {};
    }
  }
}

/// Layout of a block's shared memory: the data of both groups, then the stage.
template <class Datum, class Entry, unsigned Size>
struct shared_by_warps {
  using stage = round_prefetch<Entry, reply_word::places>;
  static constexpr std::size_t data =
      aligned_to(sizeof(quad), static_cast<std::uint32_t>(2 * Size * sizeof(Datum)));
  static constexpr std::size_t bytes(const stage_size& size) {
    return data + stage::bytes(Size, size);
  }
};

}  // namespace detail

/// The shared memory that run_batch_by_warps() needs: all of its kernel.
/// \param size entries per round of a warp; add up to 15 for each lane.
template <class Datum, class Entry, class Groups, unsigned Size>
constexpr std::size_t shared_bytes_by_warps(const grouped_schedule<Groups, Size>& /*all*/,
                                            const stage_size& size) {
  return detail::shared_by_warps<Datum, Entry, Size>::bytes(size);
}

/// Runs a sorted batch. Called by all threads of a cooperative grid of
/// all.groups().pairs_per_round() blocks of one warp.
/// \param queues a queue for each round and pair of `all`; nothing after them.
/// \param handoff a policy of group_handoff.cuh, with the data: Size per group.
/// \param section each lane's own, so it may count in members: a pair_section of entries. Of the
/// optional members of a pair_section it may have begin_pair() and end_pair(), and `no_op` with
/// run_pair() instead of the call.
/// \param replies a batch_replies_ref for the results of sections, cleared.
/// \returns false, in the whole warp, when the watchdog ended a wait: leave the kernel.
template <class Groups, unsigned Size, class Entry, class Handoff, class Section,
          class Replies = no_replies>
__device__ bool run_batch_by_warps(const grouped_schedule<Groups, Size>& all,
                                   const queues_with_replies_ref<Entry>& queues,
                                   const Handoff& handoff, const stage_size& size, Section& section,
                                   const watchdog_ref& watchdog, const Replies& replies = {}) {
  using datum = typename Handoff::datum;
  using shared = detail::shared_by_warps<datum, Entry, Size>;
  static_assert(pair_section<Section, datum, Entry> || runs_pairs<Section, datum, Entry>,
                "not a section: multi_object/pair_section.cuh");
  static_assert(Size <= 32);
  require(grid_blocks() == all.groups().pairs_per_round() && block_threads() == 32,
          "run_batch_by_warps(): needs a block of one warp per pair of groups");
  const auto warp = lane_group::whole_warp();
  const Groups& groups = all.groups();
  auto* held = reinterpret_cast<cell<datum>*>(shared_bytes());
  typename shared::stage stage(queues, all.rounds(), all.pairs_per_round(), block_rank() * Size,
                               Size, size, shared_bytes() + shared::data);
  auto participant = handoff.join(Size, watchdog);
  stage.open();

  const unsigned lane = thread_rank();
  const bool plays = lane < Size;
  for (unsigned group_round = 0; group_round < all.group_rounds(); ++group_round) {
    const bool on_diagonal = all.has_diagonal && group_round == 0;
    const unsigned schedule_round = all.schedule_round_of(group_round);
    const object_pair objects = groups.objects_of(schedule_round, block_rank());
    if (group_round == 0 || schedule_round > 0) {
      const object_pair since = {groups.available_from(objects.first, schedule_round),
                                 groups.available_from(objects.second, schedule_round)};
      if (warp.any(!participant.load_groups(objects, since, held))) return false;
    }
    for (unsigned round = all.first_round_of(group_round);
         round < all.first_round_of(group_round + 1); ++round) {
      stage.wait(round);
      warp.sync();  // this round has arrived, the previous one is complete
      stage.copy(round);
      typename shared::stage::queue queue = {};
      object_pair places = {};
      datum first = {}, second = {};
      if (plays) {
        queue = stage.queue_of(round, lane);
        places = all.places_at(round, lane);
        first = held[places.first];
        second = held[places.second];
      }
      if constexpr (requires { section.begin_pair(first, second); })
        section.begin_pair(first, second);
      detail::run_round<Entry>(queue, section, first, second, replies);
      if constexpr (requires { section.end_pair(first, second); }) section.end_pair(first, second);
      if (plays) {
        held[places.first] = first;
        held[places.second] = second;
      }
    }
    warp.sync();
    if (on_diagonal) continue;
    const auto done_for = [&](unsigned group) {
      return groups.next_use(group, schedule_round) < groups.rounds() ? schedule_round + 1 : 0;
    };
    participant.store_groups(objects, {done_for(objects.first), done_for(objects.second)}, held);
    if (!participant.end_round(group_round + 1 == all.group_rounds())) return false;
  }
  return true;
}

}  // namespace finesync::inline FINESYNC_ABI
