// Readers and writers under a semaphore: the smallest sections that reveal a broken one.
//
// A writer writes two copies of a version; a reader must find the same in both. Readers leave notes
// by plain accesses, each in its own word. A writer, which is alone, must find the notes of all
// readers that were inside before. So exits must be ordered before later entries. Runs on either
// machine.
#pragma once

#include <finesync/semaphores/semaphore.cuh>

#include <tests/library/harness/run.hpp>

namespace finesync::test {

struct semaphore_load {
  unsigned blocks = 4;
  unsigned threads_per_block = 4;  ///< the first of them writes
  unsigned size = 3;
  unsigned rounds = 3;
  bool counted =
      true;  ///< count threads inside; the atomics may hide what only bare sections reveal
  bool single_lane = false;  ///< each thread is a block, so it may poll in a row
  std::uint64_t watchdog_ns = 1'000'000'000;

  unsigned threads() const { return blocks * threads_per_block; }
};

/// Words of a load, each on its own cache line; then the notes, one word per thread.
enum load_word { first_copy, second_copy, inside, notes, overfull, torn, missed_notes, finished };
inline constexpr unsigned load_words = finished + 1;
inline constexpr unsigned line = line_bytes / sizeof(std::uint32_t);

/// A thread's part of the load. \param words of the load.
template <other_lanes Others, class Semaphore>
__device__ void run_participant(const Semaphore& semaphore, cell<std::uint32_t>* words,
                                const semaphore_load& load, const watchdog_ref& watchdog) {
  using word = atomic_ref<std::uint32_t, scope::device>;
  const unsigned me = blockIdx.x * blockDim.x + threadIdx.x;
  const bool writes = me % load.threads_per_block == 0;
  const unsigned permits = writes ? load.size : 1;
  cell<std::uint32_t>* note_of = words + load_words * line;
  const auto plain = [&](load_word which) -> cell<std::uint32_t>& { return words[which * line]; };
  const auto add = [&](load_word which, std::uint32_t amount) {
    return word(words[which * line]).fetch_add(amount, memory_order::relaxed);
  };
  const auto section = [&] {
    if (load.counted && add(inside, permits) + permits > load.size) add(overfull, 1);
    const std::uint32_t version = plain(first_copy);
    if (version != plain(second_copy)) add(torn, 1);
    if (writes) {
      std::uint32_t found = 0;
      for (unsigned i = 0; i < gridDim.x * blockDim.x; ++i) found += note_of[i];
      if (found != add(notes, 0)) add(missed_notes, 1);
      plain(first_copy) = version + 1;
      plain(second_copy) = version + 1;
    } else {
      note_of[me] = note_of[me] + 1;
      add(notes, 1);
    }
    if (load.counted) add(inside, 0 - permits);
  };
  for (unsigned i = 0; i < load.rounds; ++i)
    if (!run_with_permits<Others>(semaphore, permits, section, watchdog)) return;
  add(finished, 1);
}

template <other_lanes Others, class Semaphore>
__global__ void run_participants(Semaphore semaphore, cell<std::uint32_t>* words,
                                 semaphore_load load, watchdog_ref watchdog) {
  run_participant<Others>(semaphore, words, load, watchdog);
}

struct load_outcome {
  bool all_left;   ///< before the watchdog ended it
  bool excluding;  ///< no more inside than permits, no torn read, no lost write, all notes
  bool right() const { return all_left && excluding; }
};

/// Runs the load once. \param launch launches the kernel with the words, the load and a watchdog.
/// \returns whether no wait was ended.
template <class Launch>
load_outcome run_load_by(const Launch& launch, const semaphore_load& load) {
  const auto words = zeroed(load_words * line + load.threads());
  const bool ended = launch(watchdog(load.watchdog_ns), words);
  const auto found = words.to_host();
  const auto at = [&](load_word which) { return found[which * line]; };
  const std::uint32_t versions = load.blocks * load.rounds;
  const bool all_left = ended && at(finished) == load.threads();
  const bool all_there = at(first_copy) == versions && at(second_copy) == versions;
  return {all_left,
          at(overfull) == 0 && at(torn) == 0 && at(missed_notes) == 0 && (all_there || !all_left)};
}

/// The same under `semaphore`.
template <class Semaphore>
load_outcome run_load(const Semaphore& semaphore, const semaphore_load& load) {
  using ref = decltype(semaphore.ref());
  const auto launch = [&](const watchdog& timeout, const buffer<std::uint32_t>& words) {
    if (load.single_lane)
      return ends(timeout, run_participants<other_lanes::idle, ref>, {load.threads(), 1}, semaphore,
                  words, load);
    return ends(timeout, run_participants<other_lanes::competing, ref>,
                {load.blocks, load.threads_per_block}, semaphore, words, load);
  };
  return run_load_by(launch, load);
}

/// \returns true if all entered and left correctly.
template <class Semaphore>
bool serves_all(const Semaphore& semaphore, const semaphore_load& load) {
  return run_load(semaphore, load).right();
}

/// The same with a semaphore of the load's size.
template <class Semaphore>
bool serves_all(const semaphore_load& load) {
  return serves_all(Semaphore(load.size), load);
}

}  // namespace finesync::test
