// A graph of tasks in one kernel that stays on the GPU: a picture at ever coarser sizes. A task
// makes one tile of 8 x 8 points, each the sum of four points of the size before, as soon as the
// four tiles that it reads are there: no barrier between two sizes. See
// docs/library/persistent_kernels.md; the tests compile it for both machines and run it.
#include <finesync/device/watchdog.cuh>
#include <finesync/events/event_counts.cuh>
#include <finesync/host/buffer.cuh>
#include <finesync/host/gpu.cuh>
#include <finesync/host/launch.cuh>
#include <finesync/host/watchdog.cuh>

#include <cstdio>
#include <vector>

using namespace finesync;

namespace {

constexpr unsigned edge = 8;     // points along a tile
constexpr unsigned finest = 16;  // tiles along the finest picture; a power of two
constexpr unsigned inputs = 4;   // tiles that a task reads

/// One picture of the pyramid. Tasks and their outputs are numbered from the finest on.
struct picture {
  unsigned first_task;
  unsigned tiles;  // along an edge

  __host__ __device__ unsigned points() const { return tiles * edge; }
  __host__ __device__ unsigned point(unsigned x, unsigned y) const {
    return first_task * edge * edge + y * points() + x;
  }
  __host__ __device__ picture coarser() const { return {first_task + tiles * tiles, tiles / 2}; }
};

__global__ void make_pyramid(event_counts<>::ref_type events, cell<unsigned>* points,
                             watchdog_ref watchdog) {
  // All tasks in an order in which each comes after its inputs: blocks take them by turns, all
  // blocks are resident, so the first task that is not done can always run.
  unsigned task = blockIdx.x;
  picture finer{0, finest};
  for (picture own{0, finest}; own.tiles != 0; finer = own, own = own.coarser()) {
    for (; task < own.coarser().first_task; task += gridDim.x) {
      const unsigned tile = task - own.first_task;
      const unsigned x = tile % own.tiles * edge + threadIdx.x % edge;
      const unsigned y = tile / own.tiles * edge + threadIdx.x / edge;
      unsigned sum = x * 7 + y * 13;  // of the finest picture
      if (own.tiles != finest) {
        // The event of a task has its number. In launch r a task would wait for r * inputs.
        if (!events.at(task).wait(inputs, watchdog)) return;
        sum = 0;
        for (unsigned i = 0; i < inputs; ++i)
          sum += points[finer.point(2 * x + i % 2, 2 * y + i / 2)];
      }
      points[own.point(x, y)] = sum;
      if (own.tiles == 1) return;
      const unsigned reader = (tile / own.tiles / 2) * (own.tiles / 2) + tile % own.tiles / 2;
      events.at(own.coarser().first_task + reader).arrive();
    }
  }
}

/// The same, one picture after the other.
std::vector<unsigned> right_pyramid(unsigned size) {
  std::vector<unsigned> points(size);
  picture finer{0, finest};
  for (picture own = finer; own.tiles != 0; finer = own, own = own.coarser())
    for (unsigned y = 0; y < own.points(); ++y)
      for (unsigned x = 0; x < own.points(); ++x) {
        unsigned& sum = points[own.point(x, y)];
        if (own.tiles == finest) sum = x * 7 + y * 13;
        for (unsigned i = 0; own.tiles != finest && i < inputs; ++i)
          sum += points[finer.point(2 * x + i % 2, 2 * y + i / 2)];
      }
  return points;
}

}  // namespace

int main() {
  unsigned tasks = 0;
  for (picture each{0, finest}; each.tiles != 0; each = each.coarser())
    tasks += each.tiles * each.tiles;
  const event_counts events(tasks);
  buffer<unsigned> points(tasks * edge * edge);
  const watchdog timeout;
  launch_cooperative(
      make_pyramid,
      {.blocks = static_cast<unsigned>(current_gpu().sms), .threads_per_block = edge * edge},
      events.ref(), points.device_data(), timeout.ref());
  stream().synchronize();
  if (timeout.fired()) {
    std::puts("given up: a block waited too long");
    return 1;
  }
  const bool same = points.to_host() == right_pyramid(tasks * edge * edge);
  std::printf("%u tasks, each after the tiles that it reads: %s\n", tasks,
              same ? "right" : "wrong");
  return same ? 0 : 1;
}
