// A batch played by one block: each datum is a player, each thread a table. The data are in shared
// memory, and while a pair sits at its table, in the registers of that thread, which runs the
// sections of the pair's queue one after another. No atomics, no locks.
//
//   round r    thread 0: (r, last)   thread 1: (r + 1, r - 1)   thread 2: (r + 2, r - 2)  ...
//              meanwhile the entries of round r + 2 come into shared memory
//   barrier of the block
//
// Participants: all threads of one block. The first tables() play, and the warps behind theirs
//   write answers; where there are none, all do. Blocks with data and queues of their own know
//   nothing of each other.
// Scope: block.
// Ordering: the barrier of the block between rounds, which orders what a thread did to a datum
//   before what the next one does. Sections of a pair run in the order of its queue, those of a
//   datum in the order of rounds. What a section touches beside its two data is its own affair.
// Progress: no thread waits for another but at that barrier, so nothing can deadlock; a round ends
//   with its longest queue.
// Residency: one block, so nothing is asked for.
// Traffic: each entry once, in order; a word per table and round; each datum once in, once out; and
//   what answers.cuh says.
// Reset: nothing of its own.
#pragma once

#include "finesync/device/cell.cuh"
#include "finesync/device/require.cuh"
#include "finesync/device/shared_storage.cuh"
#include "finesync/device/warp.cuh"
#include "finesync/timetable/answers.cuh"
#include "finesync/timetable/round_stage.cuh"
#include "finesync/timetable/tournament.cuh"

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace finesync {
inline namespace FINESYNC_ABI {

namespace detail {

/// The answers of a round on their way to global memory: brought together in shared memory, from
/// where they are written a round later, in whole words.
template <class Stage, class Answers>
class answer_stage {
 public:
  /// \param words for a round; answers beyond that go their way alone.
  __host__ __device__ static constexpr std::size_t bytes(unsigned words) {
    return sizeof(std::uint32_t) * 2 * words;
  }
  __device__ answer_stage(const Stage& stage, const Answers& answers, unsigned char* memory,
                          unsigned words, unsigned first_writer)
      : stage_(stage),
        answers_(answers),
        words_(reinterpret_cast<cell<std::uint32_t>*>(memory)),
        words_of_round_(words),
        first_writer_(first_writer) {
    for (unsigned i = threadIdx.x; i < 2 * words; i += blockDim.x) words_[i] = 0;
  }

  /// Takes those of one queue, from its first entry on.
  class of_queue {
   public:
    __device__ of_queue(const answer_stage& stage, unsigned round,
                        const typename Stage::queue& queue)
        : stage_(stage),
          round_begin_(stage.stage_.places_of(round).begin / answer_word::places),
          here_(stage.words_ + round % 2 * stage.words_of_round_),
          next_(queue.begin / answer_word::places - round_begin_),
          shift_(queue.begin % answer_word::places * answer_word::bits) {}

    /// All of the next answer_word::places, or the last ones.
    __device__ __forceinline__ void add(const answer_word& some) {
      const std::uint32_t word = some.filled();
      const std::uint64_t both = std::uint64_t{before_} << 32 | word;
      put(static_cast<std::uint32_t>(both >> shift_));
      before_ = word;
    }
    /// Behind the last ones.
    __device__ __forceinline__ void end() { add({}); }

   private:
    __device__ __forceinline__ void put(std::uint32_t set) {
      if (next_ < stage_.words_of_round_)
        atomic_ref<std::uint32_t, scope::block>(here_[next_]).fetch_or(set, memory_order::relaxed);
      else
        stage_.answers_.put(round_begin_ + next_, set, true);
      ++next_;
    }

    const answer_stage& stage_;
    std::uint32_t round_begin_;  ///< words, as the next one
    cell<std::uint32_t>* here_;
    std::uint32_t next_;
    unsigned shift_;  ///< of the queue's first answer, from the highest bit of a word
    std::uint32_t before_ = 0;
  };

  /// Behind a barrier of the block, and another one before the round after the next.
  __device__ void write(unsigned round) const {
    if (threadIdx.x < first_writer_) return;
    const auto places = stage_.places_of(round);
    if (places.begin >= places.end) return;
    const std::uint32_t begin = places.begin / answer_word::places;
    const std::uint32_t last = (places.end - 1) / answer_word::places - begin;
    const std::uint32_t staged = last < words_of_round_ ? last + 1 : words_of_round_;
    cell<std::uint32_t>* here = words_ + round % 2 * words_of_round_;
    for (std::uint32_t i = threadIdx.x - first_writer_; i < staged;
         i += blockDim.x - first_writer_) {
      const std::uint32_t word = here[i];
      here[i] = 0;
      const bool shared = i == 0 || i == last;  // with the rounds before and after
      answers_.put(begin + i, word, shared);
    }
  }

 private:
  const Stage& stage_;
  const Answers& answers_;
  cell<std::uint32_t>* words_;
  unsigned words_of_round_;
  unsigned first_writer_;
};

template <class Stage>
class answer_stage<Stage, no_answers> {
 public:
  __host__ __device__ static constexpr std::size_t bytes(unsigned /*words*/) { return 0; }
  __device__ answer_stage(const Stage&, const no_answers&, unsigned char*, unsigned, unsigned) {}
  struct of_queue {
    __device__ of_queue(const answer_stage&, unsigned, const typename Stage::queue&) {}
    __device__ void add(const answer_word&) {}
    __device__ void end() {}
  };
  __device__ void write(unsigned /*round*/) const {}
};

/// Runs the sections of one pair. Entries are read some ahead, as a section is shorter than the way
/// to shared memory and back.
template <class Answers, class Stage, class Datum, class Section, class Told>
__device__ __forceinline__ void run_in_order(const Stage& stage, const typename Stage::queue& queue,
                                             Datum& first, Datum& second, Section& section,
                                             Told told) {
  constexpr unsigned per_quad = Stage::per_quad, quads = Stage::quads_at_once;
  constexpr unsigned at_once = quads * per_quad;
  static_assert(at_once == answer_word::places);
  const std::uint32_t number = queue.end - queue.begin;
  const auto warp = lane_group::here_together();
  // The first `left` of a quad's.
  const auto run = [&](const quad& read, std::uint32_t begin, std::uint32_t left,
                       answer_word& word) {
    typename Stage::entry_quad entries;
    std::memcpy(&entries, &read, sizeof entries);
    for (unsigned i = 0; i < per_quad; ++i) {
      unsigned answer = 0;
      if (i < left)
        answer =
            call_section<Answers>(section, first, second, entries.of[i], queue.begin + begin + i);
      word.append(answer);
    }
  };
  quad next[quads];
  stage.read(queue, 0, next);
  std::uint32_t at = 0;
  // The vote keeps the lanes together, whose queues are of unequal lengths.
  while (warp.any(at + at_once <= number)) {
    if (at + at_once > number) continue;
    quad now[quads];
    for (unsigned i = 0; i < quads; ++i) now[i] = next[i];
    stage.read(queue, at / per_quad + quads, next);
    answer_word word;
    for (unsigned i = 0; i < quads; ++i) run(now[i], at + i * per_quad, per_quad, word);
    told.add(word);
    at += at_once;
  }
  answer_word word;
  for (unsigned i = 0; i < quads; ++i) {
    const std::uint32_t begin = at + i * per_quad;
    run(next[i], begin, begin < number ? number - begin : 0, word);
  }
  told.add(word);
  told.end();
}

/// What lies where in shared memory.
template <class Datum, class Entry, class Answers>
struct shared_by_threads {
  std::size_t queues, answers, bytes;  ///< behind the data
  unsigned words_of_round;

  template <class Tournament>
  __host__ __device__ constexpr shared_by_threads(const Tournament& all, unsigned staged)
      : queues((all.players() * sizeof(Datum) + sizeof(quad) - 1) / sizeof(quad) * sizeof(quad)),
        answers(queues + round_stage<Entry>::bytes(all.tables(), staged)),
        bytes(answers),
        words_of_round(staged / answer_word::places + 2) {
    bytes += answer_stage<round_stage<Entry>, Answers>::bytes(words_of_round);
  }
};

}  // namespace detail

/// The shared memory that play_by_threads() takes, all that its kernel has.
/// \param staged how many entries of a round are copied ahead: about as many as rounds have, or as
/// fit. What a round has beyond that is read where it is.
/// \tparam Answers those of the sections.
template <class Datum, class Entry, class Answers = no_answers, tournament Tournament>
constexpr std::size_t shared_bytes_by_threads(const Tournament& all, unsigned staged) {
  return detail::shared_by_threads<Datum, Entry, Answers>(all, staged).bytes;
}

/// Plays a sorted batch. Called by all threads of a block of at least tables() threads.
/// \param queues of queues_of(all) or, as players have nothing to do at home, a queue for each
/// table and round.
/// \param data that of each player, in global memory; of any type of up to 16 bytes.
/// \param section of each thread its own; section(Datum& first, Datum& second, Entry), with the
/// data of players_at() the table; it may take the entry's place, too. It may count, say, in
/// members of its own, and answer. It may have members sit_down(Datum& first, Datum& second) and
/// get_up(the same), called before the first and after the last section of a pair, for what is the
/// same in all of them.
/// \param answers an answers_ref for what sections return, cleared.
template <tournament Tournament, class Datum, class Entry, class Section,
          class Answers = no_answers>
__device__ void play_by_threads(const Tournament& all, const queues_ref<Entry>& queues,
                                cell<Datum>* data, unsigned staged, Section& section,
                                const Answers& answers = {}) {
  require(blockDim.x >= all.tables(), "play_by_threads(): a thread for each table");
  using stage_type = round_stage<Entry>;
  const detail::shared_by_threads<Datum, Entry, Answers> shared(all, staged);
  auto* held = reinterpret_cast<cell<Datum>*>(shared_bytes());
  stage_type stage(queues, all.rounds(), all.tables(), staged, shared_bytes() + shared.queues);
  const unsigned players_of_warps = (all.tables() + 31) / 32 * 32;
  const unsigned first_writer = players_of_warps < blockDim.x ? players_of_warps : 0;
  const detail::answer_stage<stage_type, Answers> told(
      stage, answers, shared_bytes() + shared.answers, shared.words_of_round, first_writer);
  for (unsigned i = threadIdx.x; i < all.players(); i += blockDim.x) held[i] = data[i];
  stage.open();

  const unsigned table = threadIdx.x;
  const bool plays = table < all.tables();
  typename stage_type::queue queue = {};
  pairing players = {};
  const auto sit_down_at = [&](unsigned round) {
    if (!plays || round >= all.rounds()) return;
    queue = stage.queue_of(round, table);
    players = all.players_at(round, table);
  };
  sit_down_at(0);
  for (unsigned round = 0; round < all.rounds(); ++round) {
    stage.wait(round);
    __syncthreads();  // the round is there, and the one before is done
    stage.copy(round);
    if (round > 0) told.write(round - 1);
    if (plays && queue.begin != queue.end) {
      Datum first = held[players.first];
      Datum second = held[players.second];
      if constexpr (requires { section.sit_down(first, second); }) section.sit_down(first, second);
      using answers_of_queue = typename detail::answer_stage<stage_type, Answers>::of_queue;
      detail::run_in_order<Answers>(stage, queue, first, second, section,
                                    answers_of_queue(told, round, queue));
      if constexpr (requires { section.get_up(first, second); }) section.get_up(first, second);
      held[players.first] = first;
      held[players.second] = second;
    }
    sit_down_at(round + 1);
  }
  __syncthreads();
  told.write(all.rounds() - 1);
  for (unsigned i = threadIdx.x; i < all.players(); i += blockDim.x) data[i] = held[i];
}

}  // namespace FINESYNC_ABI
}  // namespace finesync
