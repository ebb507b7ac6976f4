// SPDX-License-Identifier: Apache-2.0
// Runs a batch in conflict-free rounds, one block per pair of groups of data. The data of both
// groups are in the block's shared memory. All threads of the block run sections of the pair at
// once, each holding the two words of its section (multi_object/full_empty_pair.cuh).
//
//|  round r    block k: groups objects_of(r, k)   load_groups ── sections ── store_groups
//|                                                                     │ group_handoff.cuh
//|  round r+1  block j: groups objects_of(r + 1, j)            load_groups <──┘
//
// Sections over two data of one group have their own queue, which runs in the first round of the
// group.
//
// Use: run_batch_by_blocks(schedule, queues, handoff, size, staged, section, watchdog, replies)
// Participants: all threads of all blocks of a cooperative grid of pairs_per_round() blocks of
//   whole warps.
// Scope: device between blocks, block within one.
// Ordering: between blocks, the handoff policy orders the data. Within a pair of groups, a section
//   sees its two data as earlier sections left them. Nothing else is ordered: any other data that a
//   section accesses must belong to its thread. Sections of a queue run in no particular order.
// Progress: deadlock-free. Within a pair some thread always succeeds
//   (multi_object/full_empty_pair.cuh), so every round ends; a block waits only for earlier rounds.
//   Not fair: a thread may fail repeatedly while others succeed, but only until their entries run
//   out.
// Residency: all blocks at once, as each waits for others; a cooperative launch guarantees it.
//   Every wait is bounded by the watchdog.
// Traffic: in shared memory, two exchanges and two stores per section and one or three accesses per
//   failed attempt; less if lanes run together (warp_combined_sections.cuh). In the L2, each entry
//   once, a word per block and round, the traffic of the policy, and that of batch_replies.cuh.
// Reset: that of the policy.
#pragma once

#include "finesync/conflict_free/batch_replies.cuh"
#include "finesync/conflict_free/entry_double_buffer.cuh"
#include "finesync/conflict_free/group_handoff.cuh"
#include "finesync/conflict_free/pair_schedule.cuh"
#include "finesync/conflict_free/warp_combined_sections.cuh"
#include "finesync/device/cell.cuh"
#include "finesync/device/numbering.cuh"
#include "finesync/device/require.cuh"
#include "finesync/device/shared_storage.cuh"
#include "finesync/device/warp.cuh"
#include "finesync/device/watchdog.cuh"
#include "finesync/multi_object/full_empty_pair.cuh"

#include <cstddef>
#include <cstdint>

namespace finesync::inline FINESYNC_ABI {

/// Two data in the shared memory of a block. All threads that may want both name them in the same
/// order.
template <class Word, Word Empty>
class full_empty_pair_of_block : full_empty_pair<Word, Empty, scope::block> {
  using words = full_empty_pair<Word, Empty, scope::block>;

 public:
  using words::words;

  /// As full_empty_pair::try_update(). The time from the second exchange to the stores is short, so
  /// other threads fail only briefly.
  template <class Section>
  __device__ bool try_update(Section&& section) {
    return words::try_one_by_one(section);
  }
};

namespace detail {

/// Replies of the sections of a pair of groups. Each staged entry has a byte in shared memory;
/// collect() packs these bytes into words.
template <class Replies>
class replies_of_pair {
 public:
  /// \param staged number of entries; a multiple of the replies per word.
  __host__ __device__ static constexpr std::size_t bytes(unsigned staged) { return staged; }

  /// \param begin first entry of the queue; the first `staged` entries have a byte each.
  __device__ replies_of_pair(const Replies& all, unsigned char* memory, std::uint32_t begin,
                             unsigned staged)
      : all_(all),
        noted_(force_shared_address(reinterpret_cast<cell<unsigned char>*>(memory))),
        begin_(begin),
        staged_(staged) {}

  /// Records the reply of a staged entry.
  __device__ void note(std::uint32_t place, unsigned reply) const {
    noted_[place - begin_] = static_cast<unsigned char>(reply);
  }
  /// Records the reply of any other entry.
  __device__ void put(std::uint32_t place, unsigned reply) const {
    constexpr unsigned per_word = reply_word::places;
    const unsigned shift = reply_word::bits * (per_word - 1 - place % per_word);
    all_.put(place / per_word, std::uint32_t{reply} << shift, true);
  }
  /// Packs the replies of places before `end` into words. Called by all threads of the block, after
  /// a barrier; another barrier must precede the next note().
  __device__ void collect(std::uint32_t end) const {
    constexpr std::uint32_t per_word = reply_word::places;
    static_assert(per_word == sizeof(quad));
    const auto* quads = reinterpret_cast<const cell<quad>*>(noted_);
    const std::uint32_t noted = end - begin_ < staged_ ? end - begin_ : staged_;
    for (std::uint32_t word = thread_rank(); word * per_word < noted; word += block_threads()) {
      const quad bytes = quads[word];
      std::uint32_t together = 0;
      for (const std::uint32_t four : bytes.words) together = together << 8 | packed(four);
      all_.put(begin_ / per_word + word, together, false);
    }
  }

 private:
  /// Packs two bits of each of four bytes, the lowest byte first. The product moves each pair of
  /// bits to its place in the highest byte, without overlaps. Bytes after the last reply hold old
  /// values, which must not disturb the others.
  __device__ static std::uint32_t packed(std::uint32_t four) {
    static_assert(reply_word::bits == 2);
    return (four & 0x03030303u) * (1u << 30 | 1u << 20 | 1u << 10 | 1u) >> 24;
  }

  const Replies& all_;
  cell<unsigned char>* noted_;
  std::uint32_t begin_;
  unsigned staged_;
};

template <>
class replies_of_pair<no_replies> {
 public:
  __host__ __device__ static constexpr std::size_t bytes(unsigned /*staged*/) { return 0; }
  __device__ replies_of_pair(const no_replies&, unsigned char*, std::uint32_t, unsigned) {}
  __device__ void note(std::uint32_t /*place*/, unsigned /*answer*/) const {}
  __device__ void put(std::uint32_t /*place*/, unsigned /*answer*/) const {}
};

/// Runs the sections of places `begin` to `end` in all warps of the block at once. Each warp has a
/// share of them; a lane that completes one takes the next of its warp. If nearly all lanes fail,
/// many want one datum; from then on such lanes run together (warp_combined_sections.cuh).
/// \param firsts, seconds the groups of the first and the second datum of each section.
/// \param entry_at(place), note(place, reply)
/// \returns false when the watchdog ended a wait.
template <template <class Word, Word Empty> class Pair, class Replies, class Datum, class Section,
          class EntryAt, class Note>
__device__ __forceinline__ bool run_queue(cell<Datum>* firsts, cell<Datum>* seconds,
                                          std::uint32_t begin, std::uint32_t end,
                                          const EntryAt& entry_at, const Note& note,
                                          Section& section, const watchdog_ref& watchdog) {
  if (begin >= end) return true;
  const auto warp = lane_group::whole_warp();
  const std::uint32_t warps = block_threads() / 32;
  const std::uint32_t share = (end - begin + warps - 1) / warps;
  std::uint32_t next = begin + thread_rank() / 32 * share;  // first place that no lane has taken
  const std::uint32_t behind = next + share < end ? next + share : end;
  std::uint32_t place = behind;
  decltype(entry_at(place)) entry = {};
  cell<Datum>* first = firsts;
  cell<Datum>* second = seconds;
  const auto go_to = [&](std::uint32_t there) {
    place = there;
    if (place >= behind) return;
    entry = entry_at(place);
    const object_pair wanted = section.places_of(entry);
    first = firsts + wanted.first;
    second = seconds + wanted.second;
  };
  bool done = false;
  // Sets `done` in the section: as a result of try_update(), it would need another register.
  const auto run = [&](Datum& value, Datum& other) {
    note(place, call_section<Replies>(section, value, other, entry, place));
    done = true;
  };
  const auto try_it = [&] { Pair<Datum, Section::empty>(*first, *second).try_update(run); };
  const auto go_on = [&] {
    const unsigned lanes_done = warp.ballot(done);
    if (done) go_to(next + lanes_below(lanes_done));
    const auto number = static_cast<unsigned>(__popc(lanes_done));
    next += number;
    return number;
  };
  bounded_wait wait(watchdog, awaited::lock);
  const auto goes_on = [&](unsigned number_done) {
    if (number_done == 0) return !warp.any(wait.timed_out());
    wait.restart();
    return true;
  };
  go_to(next + lane_id());
  next += 32;
  constexpr bool combines = can_be_combined<Section, Datum, decltype(entry)>;
  constexpr unsigned few = combines ? 3 : 1;
  while (warp.any(place < behind)) {
    done = false;
    if (place < behind) try_it();
    const unsigned number_done = go_on();
    if (number_done >= few) {
      wait.restart();
      continue;
    }
    if (!goes_on(number_done)) return false;
    if (combines) break;
  }
  if constexpr (combines) {
    for (unsigned waiting; (waiting = warp.ballot(place < behind)) != 0;) {
      done = false;
      const hot_lanes together = find_hot_lanes(waiting, entry, section);
      if (together.lanes != 0 &&
          !run_hot_lanes(together, *first, *second, entry, section, run, wait))
        return false;
      if (place < behind && !together.has(lane_id())) try_it();
      if (!goes_on(go_on())) return false;
    }
  }
  return true;
}

/// Layout of a block's shared memory after the stage.
template <class Datum, class Entry, class Replies>
struct shared_by_blocks {
  using stage = entry_double_buffer<Entry, reply_word::places>;

  unsigned staged;  ///< a multiple of the replies per word
  std::size_t replies, held, bytes;

  __host__ __device__ constexpr shared_by_blocks(unsigned size, unsigned staged_at_least)
      : staged(aligned_to(reply_word::places, staged_at_least)),
        replies(stage::bytes(staged)),
        held(replies + replies_of_pair<Replies>::bytes(staged)),
        bytes(held + std::size_t{2} * size * sizeof(Datum)) {}
};

}  // namespace detail

/// The shared memory that run_batch_by_blocks() needs: all of its kernel.
/// \param size data per group.
/// \param staged number of entries per pair and round to copy ahead: about a round's average, or as
/// many as fit. Further entries are read from global memory.
/// \tparam Replies those of the sections.
template <class Datum, class Entry, class Replies = no_replies>
constexpr std::size_t shared_bytes_by_blocks(unsigned size, unsigned staged) {
  return detail::shared_by_blocks<Datum, Entry, Replies>(size, staged).bytes;
}

/// Runs a sorted batch. Called by all threads of a cooperative grid of pairs_per_round() blocks.
/// \param queues queues_of(all) queues.
/// \param handoff a policy of group_handoff.cuh, with the data: `size` per group.
/// \param section each thread's own: a pair_section of entries, which may run while other threads
/// run theirs. It has `empty`, and
///|  object_pair places_of(Entry) const          two different data: a place in the first group and
///|                                              one in the second; in a queue of one group, two
///|                                              places of that group, the lower one first
/// If it also has `no_op` and dry_run(), lanes of a warp that want the same datum run together.
/// This is much faster if most sections want few data.
/// \param replies a batch_replies_ref for the results of sections, cleared.
/// \tparam Pair how two words are acquired.
/// \returns false, in all threads of the block, when the watchdog ended a wait: leave the kernel.
template <template <class Word, Word Empty> class Pair = full_empty_pair_of_block,
          pair_schedule Schedule, class Entry, class Handoff, class Section,
          class Replies = no_replies>
__device__ bool run_batch_by_blocks(const Schedule& all,
                                    const queues_with_replies_ref<Entry>& queues,
                                    const Handoff& handoff, unsigned size, unsigned staged,
                                    Section& section, const watchdog_ref& watchdog,
                                    const Replies& replies = {}) {
  using datum = typename Handoff::datum;
  static_assert(pair_section<Section, datum, Entry>,
                "not a section: multi_object/pair_section.cuh");
  require(grid_blocks() == all.pairs_per_round() && block_threads() % 32 == 0,
          "run_batch_by_blocks(): needs a block of whole warps per pair");
  const detail::shared_by_blocks<datum, Entry, Replies> shared(size, staged);
  const entry_double_buffer<Entry, reply_word::places> stage(queues, shared_bytes(), shared.staged);
  auto* const held =
      force_shared_address(reinterpret_cast<cell<datum>*>(shared_bytes() + shared.held));
  auto groups = handoff.join(size, watchdog);

  const auto bounds_of = [&](unsigned round) {
    if (round >= all.rounds()) return object_pair{0, 0};
    const unsigned queue = queue_at(all, round, block_rank());
    return object_pair{queues.begin(queue), queues.end(queue)};
  };
  object_pair now = bounds_of(0);
  object_pair next = bounds_of(1);
  stage.copy(0, now.first, now.second);
  for (unsigned round = 0; round < all.rounds(); ++round) {
    const object_pair later = bounds_of(round + 2);
    const object_pair objects = all.objects_of(round, block_rank());
    const object_pair since = {all.available_from(objects.first, round),
                               all.available_from(objects.second, round)};
    wait_for_copies();
    bool in_vain = !groups.load_groups(objects, since, held);
    if (__syncthreads_or(in_vain) != 0) return false;
    stage.copy(round + 1, next.first, next.second);

    const detail::replies_of_pair<Replies> here(replies, shared_bytes() + shared.replies, now.first,
                                                shared.staged);
    const auto run_in_place = [&](unsigned firsts, unsigned seconds, const object_pair& bounds) {
      return detail::run_queue<Pair, Replies>(
          held + firsts, held + seconds, bounds.first, bounds.second,
          [&](std::uint32_t place) -> Entry { return queues.entries[place]; },
          [&](std::uint32_t place, unsigned reply) { here.put(place, reply); }, section, watchdog);
    };
    const auto run_diagonal = [&](unsigned object, unsigned group) {
      const unsigned queue = diagonal_queue_of(all, object);
      return run_in_place(group, group, {queues.begin(queue), queues.end(queue)});
    };
    const auto run_staged = [&] {
      const cell<Entry>* entries = force_shared_address(stage.entries_of(round));
      const unsigned behind =
          now.second - now.first < shared.staged ? now.second : now.first + shared.staged;
      return detail::run_queue<Pair, Replies>(
                 held, held + size, now.first, behind,
                 [&](std::uint32_t place) -> Entry { return entries[place - now.first]; },
                 [&](std::uint32_t place, unsigned reply) { here.note(place, reply); }, section,
                 watchdog) &&
             run_in_place(0, size, {behind, now.second});
    };
    if (since.first == 0) in_vain = !run_diagonal(objects.first, 0);
    if (since.second == 0) in_vain = in_vain || !run_diagonal(objects.second, size);
    in_vain = in_vain || !run_staged();
    if (__syncthreads_or(in_vain) != 0) return false;

    const auto done_for = [&](unsigned object) {
      return all.next_use(object, round) < all.rounds() ? round + 1 : 0;
    };
    groups.store_groups(objects, {done_for(objects.first), done_for(objects.second)}, held);
    if constexpr (detail::are_wanted<Replies>) here.collect(now.second);
    if (!groups.end_round(round + 1 == all.rounds())) return false;
    now = next;
    next = later;
  }
  return true;
}

}  // namespace finesync::inline FINESYNC_ABI
