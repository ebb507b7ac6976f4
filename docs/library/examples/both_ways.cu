// The same critical section twice: under locks in global memory, and at synchronization servers
// (ASPLOS'19). What a program needs for each stands between its marks. Explained in
// docs/library/servers.md; the tests compile it for both machines, run it, and count the lines.
#include <finesync/host/buffer.cuh>
#include <finesync/host/gpu.cuh>
#include <finesync/host/launch.cuh>
#include <finesync/host/watchdog.cuh>
#include <finesync/locks/exclusive.cuh>
#include <finesync/locks/lock_table.cuh>
#include <finesync/locks/spin_lock.cuh>
#include <finesync/locks/tas_lock.cuh>
#include <finesync/server/fast/channel.cuh>
#include <finesync/server/server_pool.cuh>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <vector>

using namespace finesync;

namespace {

constexpr std::uint32_t bins = 64;
constexpr std::uint32_t samples = 20'000;

__host__ __device__ constexpr std::uint32_t bin_of(std::uint32_t sample) {
  return sample * 7 % bins;
}

// The critical section: counts a sample, and adds it to the sum of its bin.
struct put {
  cell<std::uint32_t>* bin;
  std::uint32_t sample;

  __device__ void operator()() const {
    bin[0] = bin[0] + 1;
    bin[1] = bin[1] + sample;
  }
};

// locks {
using lock = spin_lock<scope::device>;

__global__ void count(cell<std::uint32_t>* all, lock_table_ref<lock> locks, watchdog_ref watchdog) {
  for (auto i = blockIdx.x * blockDim.x + threadIdx.x; i < samples; i += gridDim.x * blockDim.x)
    if (!run_exclusive(locks[bin_of(i)], put{all + 2 * bin_of(i), i}, watchdog)) return;
}

void count_under_locks(cell<std::uint32_t>* all, unsigned blocks, watchdog_ref watchdog) {
  const lock_table<lock> locks(bins, lock_layout::packed);
  launch_cooperative(count, {.blocks = blocks, .threads_per_block = 128}, all, locks.ref(),
                     watchdog);
  stream().synchronize();
}
// }

// servers {
struct putting {
  using argument = std::uint32_t;
  cell<std::uint32_t>* all;
  __device__ put operator()(std::uint32_t which, std::uint32_t i) const {
    return {all + 2 * which, i};
  }
};

struct clients {
  template <class Outbox>
  __device__ bool operator()(Outbox& out, unsigned thread, unsigned threads) const {
    for (auto i = thread; i < samples; i += threads)
      if (!out.send(bin_of(i), i)) return false;
    return true;
  }
};

void count_at_servers(cell<std::uint32_t>* all, unsigned blocks, watchdog_ref watchdog) {
  server_pool<fast_channel<std::uint32_t>, run_each<tas_lock<scope::block>>> pool(
      {.servers = blocks / 2, .clients = blocks - blocks / 2});
  pool.launch(128, putting{all}, clients{}, watchdog);
  stream().synchronize();
}
// }

bool are_right(const std::vector<std::uint32_t>& found) {
  std::vector<std::uint32_t> expected(found.size());
  for (std::uint32_t i = 0; i < samples; ++i) {
    expected[2 * bin_of(i)] += 1;
    expected[2 * bin_of(i) + 1] += i;
  }
  return found == expected;
}

}  // namespace

int main() {
  const unsigned blocks = 2 * static_cast<unsigned>(current_gpu().sms);
  for (const auto how : {count_under_locks, count_at_servers}) {
    const auto all = buffer<std::uint32_t>::zeroed(std::size_t{2} * bins);
    const watchdog timeout;
    how(all.device_data(), blocks, timeout.ref());
    if (timeout.fired() || !are_right(all.to_host())) {
      std::puts("wrong, or given up");
      return 1;
    }
  }
  std::printf("%u samples counted both ways\n", samples);
  return 0;
}
