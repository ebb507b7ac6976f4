// What timetables do to the words that threads share: those of queues, of two data at a table, and
// of groups on their way.
#include "kernels.cuh"

#include <finesync/conflict_free/event_counts.cuh>
#include <finesync/conflict_free/group_handoff.cuh>
#include <finesync/conflict_free/run_batch_by_blocks.cuh>
#include <finesync/conflict_free/sorting.cuh>

namespace {

template <class Adding>
__device__ void add_to_queue(cell<u32>* words, const u32* queues, u32* places) {
  const u32 queue = queues[threadIdx.x];
  places[threadIdx.x] = Adding::add(words[queue], queue);
}

}  // namespace

extern "C" __global__ void queue_each_alone(cell<u32>* words, const u32* queues, u32* places) {
  add_to_queue<each_alone>(words, queues, places);
}
extern "C" __global__ void queue_once(cell<u32>* words, const u32* queues, u32* places) {
  add_to_queue<once_per_queue>(words, queues, places);
}

/// One try. What the data are for is not looked at.
extern "C" __global__ void pair_try(const pairing* wanted, u32* done) {
  auto* const words = reinterpret_cast<cell<u32>*>(shared_bytes());
  const pairing which = wanted[threadIdx.x];
  word_pair_of_block<u32, ~u32{0}> pair(words[which.first], words[which.second]);
  done[threadIdx.x] = pair.try_update([](u32& first, u32& second) { first += second; });
}

extern "C" __global__ void words_take(by_words<u32> data, pairing players, pairing since, u32 size,
                                      watchdog_ref watchdog) {
  auto* const table = reinterpret_cast<cell<u32>*>(shared_bytes());
  data.join(size, watchdog).take(players, since, table);
}
extern "C" __global__ void words_put(by_words<u32> data, pairing players, pairing done, u32 size,
                                     watchdog_ref watchdog) {
  const auto* const table = reinterpret_cast<const cell<u32>*>(shared_bytes());
  data.join(size, watchdog).put(players, done, table);
}

/// What the others of the block would do stands between.
extern "C" __global__ void flags_wait_and_tell(ready_flags_ref flags, u32 rounds, cell<u32>* group,
                                               watchdog_ref watchdog) {
  if (!flags.wait_for(blockIdx.x, rounds, watchdog)) return;
  group[blockIdx.x] += rounds;
  flags.tell(blockIdx.x, rounds + 1);
}
