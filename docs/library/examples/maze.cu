// A barrier that overlaps the work: how far is each cell of a maze from its exit? Distances only
// fall, in any order of updates, so a block continues with its cells while its first warp runs the
// barrier. A reduction in the barrier tells whether any distance has changed. The tests compile it
// for both machines and run it.
#include <finesync/barriers/counter_barrier.cuh>
#include <finesync/device/atomic_ref.cuh>
#include <finesync/device/shared_storage.cuh>
#include <finesync/device/watchdog.cuh>
#include <finesync/host/buffer.cuh>
#include <finesync/host/gpu.cuh>
#include <finesync/host/launch.cuh>
#include <finesync/host/watchdog.cuh>

#include <cstdint>
#include <cstdio>
#include <deque>
#include <vector>

using namespace finesync;

namespace {

constexpr unsigned width = 31;
constexpr unsigned height = 15;
constexpr unsigned cells = width * height;
constexpr std::uint32_t unknown = cells;

/// Every fourth row is a wall with one gap, alternately at the left and at the right.
__host__ __device__ bool is_wall(unsigned x, unsigned y) {
  return y % 4 == 3 && x != (y % 8 == 3 ? 0 : width - 1);
}

/// The neighbours of a cell, and their number.
struct neighbours {
  unsigned of[4];
  unsigned number = 0;

  __host__ __device__ explicit neighbours(unsigned at) {
    const unsigned x = at % width, y = at / width;
    if (x > 0) of[number++] = at - 1;
    if (x + 1 < width) of[number++] = at + 1;
    if (y > 0) of[number++] = at - width;
    if (y + 1 < height) of[number++] = at + width;
  }
};

struct maze_storage {
  cell<std::uint32_t> changed[2];  ///< whether a distance changed, in even and in odd rounds
  reduction_slot slot;
};

template <class Barrier>
__global__ void find_distances(Barrier barrier, cell<std::uint32_t>* distances,
                               watchdog_ref watchdog) {
  using distance = atomic_ref<std::uint32_t, scope::device>;
  using flag = atomic_ref<std::uint32_t, scope::block>;
  auto& shared = shared_storage<maze_storage>();
  if (threadIdx.x == 0) shared.changed[0] = shared.changed[1] = 0;
  auto participant = barrier.join(watchdog, shared.slot);

  // All threads except those of the first warp update the block's cells.
  const auto relax_some = [&](unsigned round) {
    const unsigned workers = blockDim.x - 32;
    for (unsigned at = blockIdx.x * workers + threadIdx.x - 32; at < cells;
         at += gridDim.x * workers) {
      if (is_wall(at % width, at / width)) continue;
      std::uint32_t least = unknown;
      const neighbours next(at);
      for (unsigned i = 0; i < next.number; ++i) {
        const std::uint32_t theirs = distance(distances[next.of[i]]).load(memory_order::relaxed);
        if (theirs < least) least = theirs;
      }
      if (least == unknown) continue;
      if (distance(distances[at]).fetch_min(least + 1, memory_order::relaxed) > least + 1)
        flag(shared.changed[round % 2]).store(1, memory_order::relaxed);
    }
  };

  // The work of round r sees all writes of rounds up to r - 2. So one round without changes proves
  // nothing, but after two in a row the distances are final.
  unsigned round = 0, quiet = 0;
  while (participant.wait_overlapped([&] { relax_some(round); })) {
    quiet = round > 0 && participant.reduced() == 0 ? quiet + 1 : 0;
    if (quiet == 2) return;
    participant.contribute(shared.changed[round % 2]);  // for the reduction of the next round
    ++round;
    if (threadIdx.x == 0) shared.changed[round % 2] = 0;
  }
}

/// By breadth-first search.
std::vector<std::uint32_t> distances_by_host() {
  std::vector<std::uint32_t> distances(cells, unknown);
  distances[0] = 0;
  for (std::deque<unsigned> queue{0}; !queue.empty(); queue.pop_front()) {
    const neighbours next(queue.front());
    for (unsigned i = 0; i < next.number; ++i) {
      const unsigned other = next.of[i];
      if (distances[other] != unknown || is_wall(other % width, other / width)) continue;
      distances[other] = distances[queue.front()] + 1;
      queue.push_back(other);
    }
  }
  return distances;
}

}  // namespace

int main() {
  std::vector<std::uint32_t> start(cells, unknown);
  start[0] = 0;  // the exit
  buffer<std::uint32_t> distances(cells);
  distances.copy_from(start);

  const launch_shape shape{.blocks = static_cast<unsigned>(current_gpu().sms),
                           .threads_per_block = 96,
                           .shared_bytes = sizeof(maze_storage)};
  const basic_counter_barrier<counter_fences, any_reduction> barrier(shape, {});
  const watchdog timeout;
  launch_cooperative(find_distances<decltype(barrier.ref())>, shape, barrier.ref(),
                     distances.device_data(), timeout.ref());
  stream().synchronize();
  if (timeout.fired()) {
    std::puts("given up: a block waited too long");
    return 1;
  }

  const std::vector<std::uint32_t> expected = distances_by_host(), found = distances.to_host();
  unsigned right = 0;
  for (unsigned at = 0; at < cells; ++at) right += found[at] == expected[at];
  std::printf("%u of %u cells right, the last one %u steps from the exit\n", right, cells,
              expected[cells - 1]);
  return right == cells ? 0 : 1;
}
