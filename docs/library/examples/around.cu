// A barrier of several GPUs in a user's kernel: numbers go around, from the memory of one GPU to
// that of the next, with a barrier of all blocks of all GPUs in between. Here two grids on one GPU
// stand for two GPUs; `peers all(2)` takes two. The tests compile it for both machines and run it.
#include <finesync/device/cell.cuh>
#include <finesync/device/watchdog.cuh>
#include <finesync/host/buffer.cuh>
#include <finesync/host/launch.cuh>
#include <finesync/host/peers.cuh>
#include <finesync/several_gpus/gpus_barrier.cuh>
#include <finesync/several_gpus/gpus_watchdog.cuh>
#include <finesync/several_gpus/symmetric_memory.cuh>

#include <cstdint>
#include <cstdio>
#include <tuple>
#include <vector>

using namespace finesync;

namespace {

constexpr launch_shape shape{.blocks = 4, .threads_per_block = 64};
constexpr unsigned threads = shape.blocks * shape.threads_per_block;
constexpr unsigned rounds = 9;

__host__ __device__ std::uint32_t first_number(unsigned gpu, unsigned thread) {
  return 1000 * (gpu * threads + thread);
}

// Each round a thread writes its number on the next GPU, and takes the one that came to its own,
// plus one. Rounds alternate between two sets of words.
template <class Barrier>
__global__ void pass_around(Barrier barrier, symmetric_view words, cell<std::uint32_t>* last,
                            watchdog_ref watchdog) {
  auto participant = barrier.join(watchdog);  // once, by all threads of all GPUs
  const unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
  std::uint32_t number = first_number(words.me, thread);
  for (unsigned round = 0; round < rounds; ++round) {
    const std::size_t place = (round % 2 * threads + thread) * sizeof(std::uint32_t);
    words.at<std::uint32_t>((words.me + 1) % words.n, place) = number;
    if (!participant.wait()) return;  // false: the watchdog ended the wait
    number = words.at<std::uint32_t>(words.me, place) + 1u;
  }
  last[thread] = number;
}

bool is_right(const std::vector<std::uint32_t>& last, unsigned gpu, unsigned gpus) {
  const unsigned from = (gpu + rounds * (gpus - 1)) % gpus;  // rounds before it on the way
  for (unsigned thread = 0; thread < threads; ++thread)
    if (last[thread] != first_number(from, thread) + rounds) return false;
  return true;
}

}  // namespace

int main() {
  const int twice[] = {0, 0};
  const peers all(twice);

  const gpus_barrier barrier(all, shape);
  const symmetric_memory words(all, 2 * threads);
  std::vector<buffer<std::uint32_t>> last;
  for (const stream& each : all.streams()) last.emplace_back(threads, each);

  const gpus_watchdog timeout(all);
  launch_together(all, pass_around<gpus_barrier::ref_type>, shape, [&](unsigned me) {
    return std::tuple(barrier.ref(me), words.view(me), last[me].device_data(), timeout.ref(me));
  });
  if (const auto report = timeout.report()) {
    std::puts(to_string(*report).c_str());
    return 1;
  }

  bool right = true;
  for (unsigned gpu = 0; gpu < all.size(); ++gpu)
    right = right && is_right(last[gpu].to_host(), gpu, all.size());
  std::printf("%u rounds around %u GPUs: %s\n", rounds, all.size(), right ? "right" : "wrong");
  return right ? 0 : 1;
}
