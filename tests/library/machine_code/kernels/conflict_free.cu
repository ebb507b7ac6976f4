// Accesses of conflict-free rounds to shared words: those of queues, of two data of a pair, and of
// groups in a handoff.
#include "kernels.cuh"

#include <finesync/conflict_free/group_handoff.cuh>
#include <finesync/conflict_free/group_rounds.cuh>
#include <finesync/conflict_free/run_batch_by_blocks.cuh>
#include <finesync/conflict_free/sorting.cuh>
#include <finesync/device/numbering.cuh>

namespace {

template <class Adding>
__device__ void add_to_queue(cell<u32>* words, const u32* queues, u32* places) {
  const u32 queue = queues[threadIdx.x];
  places[threadIdx.x] = Adding::add(words[queue], queue);
}

}  // namespace

extern "C" __global__ void queue_atomic_per_request(cell<u32>* words, const u32* queues,
                                                    u32* places) {
  assume_one_dimension();
  add_to_queue<atomic_per_request>(words, queues, places);
}
extern "C" __global__ void queue_atomic_per_warp(cell<u32>* words, const u32* queues, u32* places) {
  assume_one_dimension();
  add_to_queue<atomic_per_warp>(words, queues, places);
}

/// One try. The values of the data are not used.
extern "C" __global__ void pair_try(const object_pair* wanted, u32* done) {
  assume_one_dimension();
  auto* const words = reinterpret_cast<cell<u32>*>(shared_bytes());
  const object_pair which = wanted[threadIdx.x];
  full_empty_pair_of_block<u32, ~u32{0}> pair(words[which.first], words[which.second]);
  done[threadIdx.x] = pair.try_update([](u32& first, u32& second) { first += second; });
}

extern "C" __global__ void handoff_load_groups(handoff_by_version<u32> data, object_pair objects,
                                               object_pair since, u32 size, watchdog_ref watchdog) {
  assume_one_dimension();
  auto* const held = reinterpret_cast<cell<u32>*>(shared_bytes());
  data.join(size, watchdog).load_groups(objects, since, held);
}
extern "C" __global__ void handoff_store_groups(handoff_by_version<u32> data, object_pair objects,
                                                object_pair done, u32 size, watchdog_ref watchdog) {
  assume_one_dimension();
  const auto* const held = reinterpret_cast<const cell<u32>*>(shared_bytes());
  data.join(size, watchdog).store_groups(objects, done, held);
}

/// The block's other work would come in between.
extern "C" __global__ void group_rounds_await_and_advance(group_rounds_ref<> flags, u32 rounds,
                                                          cell<u32>* group, watchdog_ref watchdog) {
  assume_one_dimension();
  if (!flags.await(blockIdx.x, rounds, watchdog)) return;
  group[blockIdx.x] += rounds;
  flags.advance(blockIdx.x, rounds + 1);
}
