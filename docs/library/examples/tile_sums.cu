// Locks that whole blocks hold: every block adds its part to each of a few tiles. If another block
// is at a tile, it goes on to the next one and comes back. See docs/library/locks.md; the tests
// compile it for both machines and run it.
#include <finesync/device/watchdog.cuh>
#include <finesync/host/buffer.cuh>
#include <finesync/host/launch.cuh>
#include <finesync/host/watchdog.cuh>
#include <finesync/locks/block_lock.cuh>
#include <finesync/locks/lock_table.cuh>
#include <finesync/locks/tas_lock.cuh>

#include <cstdint>
#include <cstdio>

using namespace finesync;

namespace {

constexpr unsigned tiles = 4;
constexpr unsigned threads = 64;
constexpr unsigned blocks = 8;

using lock = tas_lock<scope::device>;

__global__ void add_parts(lock_table_ref<lock> locks, cell<std::uint32_t>* sums,
                          watchdog_ref watchdog) {
  unsigned left = (1u << tiles) - 1;  // the same in all threads of the block
  for (unsigned tile = blockIdx.x % tiles; left != 0; tile = (tile + 1) % tiles) {
    if ((left >> tile & 1) == 0) continue;
    cell<std::uint32_t>& sum = sums[tile * threads + threadIdx.x];
    const auto add = [&] { sum = sum + blockIdx.x + 1; };
    const bool is_last = left == 1u << tile;
    if (is_last && !run_block_exclusive(locks[tile], add, watchdog)) return;
    if (is_last || try_run_block_exclusive(locks[tile], add)) left -= 1u << tile;
  }
}

}  // namespace

int main() {
  auto sums = buffer<std::uint32_t>::zeroed(std::size_t{tiles} * threads);
  const lock_table<lock> locks(tiles, lock_layout::padded);
  const watchdog timeout;
  launch_cooperative(add_parts, {.blocks = blocks, .threads_per_block = threads}, locks.ref(),
                     sums.device_data(), timeout.ref());
  stream().synchronize();
  if (timeout.fired()) {
    std::puts("given up: a block waited too long");
    return 1;
  }
  unsigned right = 0;
  for (const std::uint32_t sum : sums.to_host()) right += sum == blocks * (blocks + 1) / 2;
  std::printf("%u of %u sums right\n", right, tiles * threads);
  return right == tiles * threads ? 0 : 1;
}
