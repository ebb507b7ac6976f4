// A batch played by one block: each datum is a player, each thread a table. The data are in shared
// memory, and while a pair sits at its table, in the registers of that thread, which runs the
// sections of the pair's queue one after another. No atomics, no locks.
//
//   round r    thread 0: (r, last)   thread 1: (r + 1, r - 1)   thread 2: (r + 2, r - 2)  ...
//              meanwhile the entries of round r + 1 come into shared memory
//   barrier of the block
//
// Participants: all threads of one block. The first tables() play, and the warps behind theirs
//   copy; where there are none, all do. Blocks
//   with data and queues of their own know nothing of each other.
// Scope: block.
// Ordering: the barrier of the block between rounds, which orders what a thread did to a datum
//   before what the next one does. Sections of a pair run in the order of its queue, those of a
//   datum in the order of rounds. What a section touches beside its two data is its own affair.
// Progress: no thread waits for another but at that barrier, so nothing can deadlock; a round ends
//   with its longest queue.
// Residency: one block, so nothing is asked for.
// Traffic: each entry once, in order; two words per table and round; each datum once in, once out.
// Reset: nothing of its own.
#pragma once

#include "finesync/device/cell.cuh"
#include "finesync/device/require.cuh"
#include "finesync/device/shared_storage.cuh"
#include "finesync/timetable/entry_stage.cuh"
#include "finesync/timetable/tournament.cuh"

#include <concepts>
#include <cstddef>
#include <cstdint>

namespace finesync {
inline namespace FINESYNC_ABI {

namespace detail {

/// Where the entries of a round are, and those of the thread's table.
struct table_turn {
  std::uint32_t round_begin, round_end;
  std::uint32_t begin, end;

  template <tournament Tournament, class Entry>
  __device__ static table_turn of(const Tournament& all, const queues_ref<Entry>& queues,
                                  unsigned round, unsigned table) {
    if (round >= all.rounds()) return {};
    table_turn turn = {queues.begin(queue_at(all, round, 0)),
                       queues.begin(queue_at(all, round + 1, 0)), 0, 0};
    if (table < all.tables()) {
      turn.begin = queues.begin(queue_at(all, round, table));
      turn.end = queues.end(queue_at(all, round, table));
    }
    return turn;
  }
};

/// Sections that answer: they change their entries.
template <class Section, class Datum, class Entry>
concept changes_entries = !std::invocable<Section&, Datum&, Datum&, const Entry&>;

/// Runs the sections of places `begin` to `end`, reading entries some places ahead: a section is
/// shorter than the way to shared memory and back.
template <class Entry, class Datum, class Section, class EntryAt>
__device__ __forceinline__ void run_in_order(Datum& first, Datum& second, Section& section,
                                             std::uint32_t begin, std::uint32_t end,
                                             EntryAt entry_at) {
  constexpr unsigned ahead = 4;
  const auto run = [&](std::uint32_t place, Entry& which) {
    section(first, second, which);
    if constexpr (changes_entries<Section, Datum, Entry>) entry_at(place) = which;
  };
  if (begin + ahead <= end) {
    Entry next[ahead];
    for (unsigned i = 0; i < ahead; ++i) next[i] = entry_at(begin + i);
    for (; begin + 2 * ahead <= end; begin += ahead) {
      Entry now[ahead];
      for (unsigned i = 0; i < ahead; ++i) {
        now[i] = next[i];
        next[i] = entry_at(begin + ahead + i);
      }
      for (unsigned i = 0; i < ahead; ++i) run(begin + i, now[i]);
    }
    for (unsigned i = 0; i < ahead; ++i) run(begin + i, next[i]);
    begin += ahead;
  }
  for (; begin < end; ++begin) {
    Entry last = entry_at(begin);
    run(begin, last);
  }
}

}  // namespace detail

/// The shared memory that play_by_threads() takes, all that its kernel has.
/// \param staged how many entries of a round are copied ahead: about as many as a round has, or as
/// fit. What a round has beyond that is read where it is.
template <class Datum, class Entry, tournament Tournament>
constexpr std::size_t shared_bytes_by_threads(const Tournament& all, unsigned staged) {
  return entry_stage<Entry, 3>::bytes(staged) + all.players() * sizeof(Datum);
}

/// Plays a sorted batch. Called by all threads of a block of at least tables() threads.
/// \param queues of queues_of(all) or, as players have nothing to do at home, a queue for each
/// table and round.
/// \param data that of each player, in global memory; of any type of up to 16 bytes.
/// \param section of each thread its own; section(Datum& first, Datum& second, Entry), with the
/// data of players_at() the table. It may count, say, in members of its own; and where it takes an
/// Entry&, what it leaves there is in the queue afterwards, an answer, say. It may have members
/// sit_down(Datum& first, Datum& second) and get_up(the same), called before the first and after
/// the last section of a pair, for what is the same in all of them.
template <tournament Tournament, class Datum, class Entry, class Section>
__device__ void play_by_threads(const Tournament& all, const queues_ref<Entry>& queues,
                                cell<Datum>* data, unsigned staged, Section& section) {
  require(blockDim.x >= all.tables(), "play_by_threads(): a thread for each table");
  const unsigned players_of_warps = (all.tables() + 31) / 32 * 32;
  const unsigned first_copier = players_of_warps < blockDim.x ? players_of_warps : 0;
  const entry_stage<Entry, 3> stage(queues, shared_bytes(), staged, first_copier);
  auto* held =
      reinterpret_cast<cell<Datum>*>(shared_bytes() + entry_stage<Entry, 3>::bytes(staged));
  for (unsigned i = threadIdx.x; i < all.players(); i += blockDim.x) held[i] = data[i];

  const unsigned table = threadIdx.x;
  auto now = detail::table_turn::of(all, queues, 0, table);
  auto next = detail::table_turn::of(all, queues, 1, table);
  detail::table_turn before = {};
  stage.copy(0, now.round_begin, now.round_end);
  const auto put_back_before = [&](unsigned round) {
    if constexpr (detail::changes_entries<Section, Datum, Entry>)
      if (round > 0) stage.put_back(round - 1, before.round_begin, before.round_end);
  };
  for (unsigned round = 0; round < all.rounds(); ++round) {
    const auto later = detail::table_turn::of(all, queues, round + 2, table);
    wait_for_copies();
    __syncthreads();  // the round is there, and the one before is done
    put_back_before(round);
    stage.copy(round + 1, next.round_begin, next.round_end);
    if (now.begin < now.end) {
      const pairing players = all.players_at(round, table);
      const auto entries = stage.of(round, now.round_begin);
      const std::uint32_t staged_end = now.end < entries.end ? now.end : entries.end;
      const std::uint32_t rest = now.begin < entries.end ? entries.end : now.begin;
      Datum first = held[players.first];
      Datum second = held[players.second];
      if constexpr (requires { section.sit_down(first, second); }) section.sit_down(first, second);
      using detail::run_in_order;
      run_in_order<Entry>(
          first, second, section, now.begin, staged_end,
          [&](std::uint32_t place) -> cell<Entry>& { return entries.in_shared(place); });
      run_in_order<Entry>(
          first, second, section, rest, now.end,
          [&](std::uint32_t place) -> cell<Entry>& { return entries.in_global(place); });
      if constexpr (requires { section.get_up(first, second); }) section.get_up(first, second);
      held[players.first] = first;
      held[players.second] = second;
    }
    before = now;
    now = next;
    next = later;
  }
  __syncthreads();
  put_back_before(all.rounds());
  for (unsigned i = threadIdx.x; i < all.players(); i += blockDim.x) data[i] = held[i];
}

}  // namespace FINESYNC_ABI
}  // namespace finesync
