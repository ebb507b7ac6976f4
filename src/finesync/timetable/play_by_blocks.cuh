// A batch played by many blocks: groups of data are the players, each block is a table. The data
// of both groups are in the block's shared memory, where all its threads run sections of the pair
// of groups at once, each under the two words that it wants (locks/word_pair.cuh).
//
//   round r    block k: groups players_at(r, k)   take ── sections ── put
//                                                                      │ hand_over.cuh
//   round r+1  block j: groups players_at(r + 1, j)            take <──┘
//
// Sections of two data of one group have a queue of their own, which is played at the group's
// first meeting.
//
// Participants: all threads of all blocks of a cooperative grid of tables() blocks.
// Scope: device between blocks, block within one.
// Ordering: data are handed over as the policy says; within a table, a section sees what earlier
//   ones made of its two data, and nothing else is ordered: beside them, a section may touch only
//   what is its thread's own. Sections of a queue run in no particular order.
// Progress: deadlock-free: in a table some thread always gets on (locks/word_pair.cuh), so that a
// round
//   ends, and a block waits for earlier rounds alone. Not fair: a thread may be refused two words
//   again and again while others get them, but only till their entries are used up.
// Residency: every block must be resident, as each waits for others, which a cooperative launch
//   guarantees. Every wait is bounded by the watchdog.
// Traffic: in shared memory two exchanges and two stores per section, three accesses per try in
//   vain; in the L2 each entry once, a word per block and round, the policy's, and what answers.cuh
//   says.
// Reset: that of the policy.
#pragma once

#include "finesync/device/cell.cuh"
#include "finesync/device/require.cuh"
#include "finesync/device/shared_storage.cuh"
#include "finesync/device/warp.cuh"
#include "finesync/device/watchdog.cuh"
#include "finesync/locks/word_pair.cuh"
#include "finesync/timetable/answers.cuh"
#include "finesync/timetable/entry_stage.cuh"
#include "finesync/timetable/hand_over.cuh"
#include "finesync/timetable/tournament.cuh"

#include <cstddef>
#include <cstdint>

namespace finesync {
inline namespace FINESYNC_ABI {

/// Two data at a table, in the shared memory of its block.
template <class Word, Word Busy>
struct word_pair_of_block : word_pair<Word, Busy, scope::block> {
  using word_pair<Word, Busy, scope::block>::word_pair;
};

namespace detail {

/// What sections answer at a table: a byte each in shared memory, as far as entries are staged,
/// from where a warp brings those of its lanes into words.
template <class Answers>
class answers_at_table {
 public:
  using kind = Answers;
  __host__ __device__ static constexpr std::size_t bytes(unsigned staged) { return staged; }

  /// \param begin of the entries that are played, `staged` of which have their byte.
  __device__ answers_at_table(const Answers& all, unsigned char* memory, std::uint32_t begin,
                              unsigned staged)
      : all_(all),
        told_(reinterpret_cast<cell<unsigned char>*>(memory)),
        begin_(begin),
        staged_(staged) {}

  __device__ void note(std::uint32_t place, unsigned answer) const {
    if (place - begin_ < staged_)
      told_[place - begin_] = static_cast<unsigned char>(answer);
    else
      all_.put(place / answer_word::places, at_place(place, answer), true);
  }
  /// Behind a barrier of the block: brings those of places before `end` into words. Called by all
  /// its threads. Another barrier stands before the next note().
  __device__ void collect(std::uint32_t end) const {
    constexpr std::uint32_t per_word = answer_word::places;
    const std::uint32_t told = end - begin_ < staged_ ? end : begin_ + staged_;
    if (begin_ >= told) return;
    const std::uint32_t last = (told - 1) / per_word;
    for (std::uint32_t word = begin_ / per_word + threadIdx.x; word <= last; word += blockDim.x) {
      const std::uint32_t first = word * per_word;
      std::uint32_t together = 0;
      for (std::uint32_t place = first; place < first + per_word; ++place) {
        if (place >= begin_ && place < told) together |= at_place(place, told_[place - begin_]);
      }
      all_.put(word, together, first < begin_ || first + per_word > told);
    }
  }

 private:
  __device__ static std::uint32_t at_place(std::uint32_t place, unsigned answer) {
    return std::uint32_t{answer} << answer_word::bits *
                                        (answer_word::places - 1 - place % answer_word::places);
  }

  const Answers& all_;
  cell<unsigned char>* told_;
  std::uint32_t begin_;
  unsigned staged_;
};

template <>
class answers_at_table<no_answers> {
 public:
  using kind = no_answers;
  __host__ __device__ static constexpr std::size_t bytes(unsigned /*staged*/) { return 0; }
  __device__ answers_at_table(const no_answers&, unsigned char*, std::uint32_t, unsigned) {}
  __device__ void note(std::uint32_t /*place*/, unsigned /*answer*/) const {}
};

/// Runs the sections of places `begin` to `end` at a table, all threads of the block at once; each
/// thread that is done with one goes on to its next, whatever the others of its warp do.
/// \param offsets of the two data of a section: those of the groups that they are of.
/// \param answers an answers_at_table, or no_answers.
/// \returns false when the watchdog ended a wait.
template <template <class Word, Word Busy> class Pair, class Datum, class Entry, class Section,
          class Answers>
__device__ bool run_at_table(cell<Datum>* table, const pairing& offsets,
                             const staged_entries<Entry>& entries, std::uint32_t begin,
                             std::uint32_t end, Section& section, const Answers& answers,
                             const watchdog_ref& watchdog) {
  if (begin >= end) return true;
  bounded_wait wait(watchdog, awaited::lock);
  const auto entry_at = [&](std::uint32_t at) { return entries[at < end ? at : end - 1]; };
  std::uint32_t place = begin + threadIdx.x;
  Entry entry = entry_at(place);
  Entry next = entry_at(place + blockDim.x);  // on its way while the other's section is tried
  bool gave_up = false;
  // The vote brings the lanes together again after each try; otherwise those that were refused
  // once would go their own way from there on.
  const auto warp = lane_group::here_together();
  while (warp.any(place < end && !gave_up)) {
    if (place >= end || gave_up) continue;
    const pairing wanted = section.places_of(entry);
    Pair<Datum, Section::busy> data(table[offsets.first + wanted.first],
                                    table[offsets.second + wanted.second]);
    unsigned answer = 0;
    const bool done = data.try_update([&](Datum& first, Datum& second) {
      answer = call_section<typename Answers::kind>(section, first, second, entry, place);
    });
    if (done) {
      answers.note(place, answer);
      wait.restart();
      place += blockDim.x;
      entry = next;
      next = entry_at(place + blockDim.x);
    } else {
      gave_up = wait.timed_out();
    }
  }
  return !gave_up;
}

}  // namespace detail

/// The shared memory that play_by_blocks() takes, all that its kernel has.
/// \param size data of a group.
/// \param staged how many entries of a table and round are copied ahead: about as many as there
/// are, or as fit. What there is beyond that is read where it is.
/// \tparam Answers those of the sections.
template <class Datum, class Entry, class Answers = no_answers>
constexpr std::size_t shared_bytes_by_blocks(unsigned size, unsigned staged) {
  return entry_stage<Entry>::bytes(staged) + std::size_t{2} * size * sizeof(Datum) +
         detail::answers_at_table<Answers>::bytes(staged);
}

/// Plays a sorted batch. Called by all threads of a cooperative grid of tables() blocks.
/// \param queues of queues_of(all).
/// \param hand_over a policy of hand_over.cuh, with the data: `size` of each group.
/// \param section of each thread its own:
///   static constexpr Datum busy             a value that no datum ever has
///   pairing places_of(Entry) const          two different data: of the first and the second
///                                           player at the table, each by its place in its group;
///                                           in a queue of one group, two places of that
///   operator()(Datum& first, Datum& second, Entry)    may run while others run it; it may take
///                                           the entry's place, too, and answer
/// \param answers an answers_ref for what sections return, cleared.
/// \tparam Pair how two words are taken.
/// \returns false when the watchdog ended a wait: leave the kernel. For all threads of the block
/// alike.
template <template <class Word, Word Busy> class Pair = word_pair_of_block, tournament Tournament,
          class Entry, class HandOver, class Section, class Answers = no_answers>
__device__ bool play_by_blocks(const Tournament& all, const queues_ref<Entry>& queues,
                               const HandOver& hand_over, unsigned size, unsigned staged,
                               Section& section, const watchdog_ref& watchdog,
                               const Answers& answers = {}) {
  using datum = typename HandOver::datum;
  require(gridDim.x == all.tables(), "play_by_blocks(): a block for each table");
  const entry_stage<Entry> stage(queues, shared_bytes(), staged);
  unsigned char* const behind_stage = shared_bytes() + entry_stage<Entry>::bytes(staged);
  auto* table = reinterpret_cast<cell<datum>*>(behind_stage);
  unsigned char* const told = behind_stage + std::size_t{2} * size * sizeof(datum);
  auto groups = hand_over.join(size, watchdog);

  const auto bounds_of = [&](unsigned round) {
    if (round >= all.rounds()) return pairing{0, 0};
    const unsigned queue = queue_at(all, round, blockIdx.x);
    return pairing{queues.begin(queue), queues.end(queue)};
  };
  pairing now = bounds_of(0);
  pairing next = bounds_of(1);
  stage.copy(0, now.first, now.second);
  for (unsigned round = 0; round < all.rounds(); ++round) {
    const pairing later = bounds_of(round + 2);
    const pairing players = all.players_at(round, blockIdx.x);
    const pairing since = {all.free_since(players.first, round),
                           all.free_since(players.second, round)};
    wait_for_copies();
    bool in_vain = !groups.take(players, since, table);
    if (__syncthreads_or(in_vain) != 0) return false;
    stage.copy(round + 1, next.first, next.second);

    const auto run = [&](const pairing& offsets, const staged_entries<Entry>& entries,
                         const pairing& bounds) {
      const detail::answers_at_table<Answers> here(answers, told, bounds.first,
                                                   entries.shared == nullptr ? 0 : staged);
      return detail::run_at_table<Pair>(table, offsets, entries, bounds.first, bounds.second,
                                        section, here, watchdog);
    };
    const auto run_at_home = [&](unsigned player, unsigned offset) {
      const unsigned queue = home_queue_of(all, player);
      const pairing bounds = {queues.begin(queue), queues.end(queue)};
      return run({offset, offset}, {nullptr, queues.entries, 0, 0}, bounds);
    };
    if (since.first == 0) in_vain = !run_at_home(players.first, 0);
    if (since.second == 0) in_vain = in_vain || !run_at_home(players.second, size);
    in_vain = in_vain || !run({0, size}, stage.of(round, now.first), now);
    if (__syncthreads_or(in_vain) != 0) return false;

    const auto done_for = [&](unsigned player) {
      return all.wanted_in(player, round) < all.rounds() ? round + 1 : 0;
    };
    groups.put(players, {done_for(players.first), done_for(players.second)}, table);
    if constexpr (detail::are_wanted<Answers>)
      detail::answers_at_table<Answers>(answers, told, now.first, staged).collect(now.second);
    if (!groups.end_round(round + 1 == all.rounds())) return false;
    now = next;
    next = later;
  }
  return true;
}

}  // namespace FINESYNC_ABI
}  // namespace finesync
