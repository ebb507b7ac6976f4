// A batch played by many warps: groups of data are the players, and each block is one warp and a
// table. Where two groups meet, each datum of the one meets each of the other in turn
// (grouped.cuh), so that in a round every lane has a pair of data of its own, in registers, and
// runs the sections of the pair's queue one after another. No atomics, no locks.
//
//|  meeting m    warp k: groups players_at(m, k)    take ── rounds ── put
//|                       lane i: (i, i), (i, i + 1), (i, i + 2) ...   │ hand_over.cuh
//|  meeting m+1  warp j: groups players_at(m + 1, j)            take <┘
//
// The entries of later rounds come into shared memory meanwhile (round_stage.cuh).
//
// Participants: all threads of all blocks of a cooperative grid of groups().tables() blocks of 32.
// Scope: device between blocks, warp within one.
// Ordering: groups are handed over as the policy says; between rounds of a meeting the lanes of the
//   warp meet. Sections of a pair run in the order of its queue, those of a datum in the order of
//   rounds. What a section touches beside its two data is its own affair.
// Progress: a block waits for earlier meetings alone, so nothing can deadlock; a round ends with
//   its warp's longest queue.
// Residency: every block must be resident, as each waits for others, which a cooperative launch
//   guarantees. Every wait is bounded by the watchdog.
// Traffic: each entry once, in order; a word per table and round; a word for 16 answers; each datum
//   once in and once out per meeting.
// Reset: that of the policy.
#pragma once

#include "finesync/conflict_free/batch_replies.cuh"
#include "finesync/conflict_free/group_handoff.cuh"
#include "finesync/conflict_free/grouped_schedule.cuh"
#include "finesync/conflict_free/round_prefetch.cuh"
#include "finesync/device/cell.cuh"
#include "finesync/device/require.cuh"
#include "finesync/device/shared_storage.cuh"
#include "finesync/device/warp.cuh"
#include "finesync/device/watchdog.cuh"

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

namespace finesync {
inline namespace FINESYNC_ABI {

namespace detail {

/// A section that has an entry which changes nothing. Lanes whose queue is over run that, and the
/// warp needs no branch.
template <class Section, class Entry>
concept has_neutral_entry = requires {
  { Section::neutral } -> std::convertible_to<Entry>;
};

/// A section that can run two entries, one after the other, quicker than each for itself.
template <class Section, class Datum, class Entry>
concept runs_two = requires(Section section, Datum& datum, Entry entry) {
  { section.run_two(datum, datum, entry, entry) } -> std::convertible_to<unsigned>;
};

/// Runs read_at_once sections of a lane's pair, of which it has the first `left`.
template <class Answers, class Entry, class Section, class Datum>
__device__ __forceinline__ void run_some(const Entry* entries, std::uint32_t left,
                                         std::uint32_t place, Section& section, Datum& first,
                                         Datum& second, answer_word& word) {
  if constexpr (has_neutral_entry<Section, Entry> && runs_two<Section, Datum, Entry>) {
    for (unsigned i = 0; i < read_at_once; i += 2) {
      const Entry one = i < left ? entries[i] : Entry(Section::neutral);
      const Entry two = i + 1 < left ? entries[i + 1] : Entry(Section::neutral);
      word.append_two(section.run_two(first, second, one, two));
    }
  } else {
    for (unsigned i = 0; i < read_at_once; ++i) {
      unsigned answer = 0;
      if (i < left) answer = call_section<Answers>(section, first, second, entries[i], place + i);
      word.append(answer);
    }
  }
}

/// Runs the sections of a round, a pair for each lane of the warp.
template <class Entry, class Queue, class Section, class Datum, class Answers>
__device__ __forceinline__ void run_round(const Queue& queue, Section& section, Datum& first,
                                          Datum& second, const Answers& answers) {
  constexpr unsigned quads = read_at_once * sizeof(Entry) / sizeof(quad);
  const std::uint32_t number = queue.end - queue.begin;
  const std::uint32_t longest = lane_group::whole_warp().most(number);
  quad next[quads] = {};
  const auto read = [&](std::uint32_t at) {
    if (at >= number) return;
    for (unsigned i = 0; i < quads; ++i) next[i] = queue.quads[at / read_at_once * quads + i];
  };
  read(0);
  answer_word word;
  for (std::uint32_t at = 0; at < longest; at += read_at_once) {
    Entry entries[read_at_once];
    static_assert(sizeof entries == sizeof next);
    std::memcpy(&entries, &next, sizeof entries);
    read(at + read_at_once);  // on its way while sections run
    run_some<Answers>(entries, at < number ? number - at : 0, queue.begin + at, section, first,
                      second, word);
    if constexpr (are_wanted<Answers>) {
      const std::uint32_t behind = at + read_at_once;
      if (behind % answer_word::places != 0 && behind < longest) continue;
      const std::uint32_t begin = at / answer_word::places * answer_word::places;
      if (begin < number)
        answers.put((queue.begin + begin) / answer_word::places, word.filled(), false);
      word = {};
    }
  }
}

/// What lies where in a block's shared memory: the data of both groups, then the stage.
template <class Datum, class Entry, unsigned Size>
struct shared_by_warps {
  using stage = round_stage<Entry, answer_word::places>;
  static constexpr std::size_t data =
      aligned_to(sizeof(quad), static_cast<std::uint32_t>(2 * Size * sizeof(Datum)));
  static constexpr std::size_t bytes(const stage_size& size) {
    return data + stage::bytes(Size, size);
  }
};

}  // namespace detail

/// The shared memory that play_by_warps() takes, all that its kernel has.
/// \param size entries of a round of a warp, with up to 15 more for each lane.
template <class Datum, class Entry, class Groups, unsigned Size>
constexpr std::size_t shared_bytes_by_warps(const grouped<Groups, Size>& /*all*/,
                                            const stage_size& size) {
  return detail::shared_by_warps<Datum, Entry, Size>::bytes(size);
}

/// Plays a sorted batch. Called by all threads of a cooperative grid of all.groups().tables()
/// blocks of one warp. \param queues a queue for each round and table of `all`, nothing behind
/// them. \param hand_over a policy of hand_over.cuh, with the data: Size of each group. \param
/// section of each lane its own; section(Datum& first, Datum& second, Entry), with the data of
/// players_at() the table; it may take the entry's place, too. It may count, say, in members of its
/// own, and answer. It may have members
///|  begin_match(Datum& first, Datum& second)   before the first section of a pair, for what is the
///|  end_match(the same)                        same in all of them; behind the last
/// and in the place of the call
///|  static constexpr Entry neutral          an entry that changes nothing, and
///|  unsigned run_two(first, second, one, other)   the sections of two entries one after the other,
///|                                          which answers for both, the first in the higher bits
/// \param answers an answers_ref for what sections return, cleared.
/// \returns false when the watchdog ended a wait: leave the kernel. For the whole warp alike.
template <class Groups, unsigned Size, class Entry, class HandOver, class Section,
          class Answers = no_answers>
__device__ bool play_by_warps(const grouped<Groups, Size>& all,
                              const answered_queues_ref<Entry>& queues, const HandOver& hand_over,
                              const stage_size& size, Section& section,
                              const watchdog_ref& watchdog, const Answers& answers = {}) {
  using datum = typename HandOver::datum;
  using shared = detail::shared_by_warps<datum, Entry, Size>;
  static_assert(Size <= 32);
  require(gridDim.x == all.groups().tables() && blockDim.x == 32,
          "play_by_warps(): a block of one warp for each table of groups");
  const auto warp = lane_group::whole_warp();
  const Groups& groups = all.groups();
  auto* held = reinterpret_cast<cell<datum>*>(shared_bytes());
  typename shared::stage stage(queues, all.rounds(), all.tables(), blockIdx.x * Size, Size, size,
                               shared_bytes() + shared::data);
  auto participant = hand_over.join(Size, watchdog);
  stage.open();

  const unsigned lane = threadIdx.x;
  const bool plays = lane < Size;
  for (unsigned meeting = 0; meeting < all.meetings(); ++meeting) {
    const bool at_home = all.meets_at_home && meeting == 0;
    const unsigned groups_round = all.groups_round_of(meeting);
    const pairing players = groups.players_at(groups_round, blockIdx.x);
    if (meeting == 0 || groups_round > 0) {
      const pairing since = {groups.free_since(players.first, groups_round),
                             groups.free_since(players.second, groups_round)};
      if (warp.any(!participant.take(players, since, held))) return false;
    }
    for (unsigned round = all.first_round_of(meeting); round < all.first_round_of(meeting + 1);
         ++round) {
      stage.wait(round);
      warp.sync();  // the round is there, and the one before is done
      stage.copy(round);
      typename shared::stage::queue queue = {};
      pairing places = {};
      datum first = {}, second = {};
      if (plays) {
        queue = stage.queue_of(round, lane);
        places = all.places_at(round, lane);
        first = held[places.first];
        second = held[places.second];
      }
      if constexpr (requires { section.begin_match(first, second); })
        section.begin_match(first, second);
      detail::run_round<Entry>(queue, section, first, second, answers);
      if constexpr (requires { section.end_match(first, second); })
        section.end_match(first, second);
      if (plays) {
        held[places.first] = first;
        held[places.second] = second;
      }
    }
    warp.sync();
    if (at_home) continue;
    const auto done_for = [&](unsigned group) {
      return groups.wanted_in(group, groups_round) < groups.rounds() ? groups_round + 1 : 0;
    };
    participant.put(players, {done_for(players.first), done_for(players.second)}, held);
    if (!participant.end_round(meeting + 1 == all.meetings())) return false;
  }
  return true;
}

}  // namespace FINESYNC_ABI
}  // namespace finesync
