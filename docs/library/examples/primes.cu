// A queue between blocks: some find numbers that may be prime, the others try them. Explained in
// docs/library/queues.md; the tests compile it for both machines and run it.
#include <finesync/device/atomic_ref.cuh>
#include <finesync/host/buffer.cuh>
#include <finesync/host/launch.cuh>
#include <finesync/host/watchdog.cuh>
#include <finesync/queues/slot_queue.cuh>

#include <cstdint>
#include <cstdio>

using namespace finesync;

namespace {

constexpr unsigned below = 8192;
constexpr unsigned finders = 2;  // blocks; as many try
constexpr unsigned threads = 64;
constexpr unsigned warps = finders * threads / 32;

using number_queue = slot_queue<std::uint32_t>;

__device__ bool is_prime(std::uint32_t number) {
  for (std::uint32_t i = 2; i * i <= number; ++i)
    if (number % i == 0) return false;
  return number > 1;
}

__global__ void find_and_try(number_queue::ref_type queue, cell<std::uint32_t>* primes,
                             watchdog_ref watchdog) {
  if (blockIdx.x < finders) {
    for (unsigned base = 0; base < below; base += finders * threads) {
      const std::uint32_t numbers[1] = {base + blockIdx.x * threads + threadIdx.x};
      const bool may_be = numbers[0] == 2 || numbers[0] % 2 == 1;
      auto place = queue.reserve_push(by_warp::where(may_be));
      if (!queue.put(place, numbers, watchdog)) return;
    }
    if (threadIdx.x % 32 == 0) queue.leave(warps);  // the last one closes the queue
  } else {
    std::uint32_t found = 0;
    for (bool open = true; open;) {
      auto place = queue.reserve_pop(by_warp::all());
      const auto got = queue.take(place, watchdog);
      if (got.has(0)) found += is_prime(got.item[0]);
      open = got.how == taking::complete;
    }
    atomic_ref<std::uint32_t, scope::device>(*primes).fetch_add(found, memory_order::relaxed);
  }
}

}  // namespace

int main() {
  const number_queue queue(512);
  auto primes = buffer<std::uint32_t>::zeroed(1);
  const watchdog timeout;
  launch_cooperative(find_and_try, {2 * finders, threads}, queue.ref(), primes.device_data(),
                     timeout.ref());
  if (timeout.fired()) return 1;
  std::printf("%u primes below %u\n", static_cast<unsigned>(primes.to_host()[0]), below);
  return 0;
}
