// Readers and writers of a price list: few blocks change it and many read it. Each reader sees the
// whole list at one moment. Explained in docs/library/semaphores.md; the tests compile it for both
// machines and run it.
#include <finesync/device/watchdog.cuh>
#include <finesync/host/buffer.cuh>
#include <finesync/host/gpu.cuh>
#include <finesync/host/launch.cuh>
#include <finesync/host/watchdog.cuh>
#include <finesync/semaphores/semaphore.cuh>
#include <finesync/semaphores/ticket_semaphore.cuh>

#include <cstdint>
#include <cstdio>

using namespace finesync;

namespace {

constexpr unsigned articles = 64;  // one price and one thread each
constexpr unsigned readers_at_once = 16;
constexpr unsigned rounds = 10;

// Every fourth block is a writer: it adds a cent to each price. All others compare the prices,
// which are equal at the start, to detect a list that is only partly changed.
template <class Semaphore>
__global__ void trade(Semaphore semaphore, cell<std::uint32_t>* prices, cell<std::uint32_t>* mixed,
                      watchdog_ref watchdog) {
  const bool writes = blockIdx.x % 4 == 0;
  const unsigned permits = writes ? readers_at_once : 1;  // all of them: exclusive
  std::uint32_t differing = 0;
  const auto section = [&] {
    const std::uint32_t price = prices[threadIdx.x];
    if (writes) {
      prices[threadIdx.x] = price + 1;
    } else {
      differing += price != prices[(threadIdx.x + 1) % articles];
    }
  };
  for (unsigned i = 0; i < rounds; ++i)
    if (!run_block_with_permits(semaphore, permits, section, watchdog)) return;
  if (differing > 0) mixed[blockIdx.x] = 1u;
}

}  // namespace

int main() {
  // All blocks must be on the GPU at once, as they wait for each other.
  const unsigned blocks = 4 * static_cast<unsigned>(current_gpu().sms);
  buffer<std::uint32_t> prices(articles);
  buffer<std::uint32_t> mixed(blocks);
  prices.fill_bytes(0);
  mixed.fill_bytes(0);

  const ticket_semaphore<> semaphore(readers_at_once);
  const watchdog timeout;
  launch_cooperative(trade<decltype(semaphore.ref())>, {blocks, articles}, semaphore.ref(),
                     prices.device_data(), mixed.device_data(), timeout.ref());
  stream().synchronize();
  if (timeout.fired()) {
    std::puts("given up: a block waited too long");
    return 1;
  }

  unsigned astray = 0;
  for (const std::uint32_t block : mixed.to_host()) astray += block;
  const std::uint32_t changes = blocks / 4 * rounds;
  unsigned right = 0;
  for (const std::uint32_t price : prices.to_host()) right += price == changes;
  std::printf("%u of %u prices right after %u changes, %u readers saw a mixture\n", right, articles,
              changes, astray);
  return right == articles && astray == 0 ? 0 : 1;
}
