// A value-passing lock: threads cut pieces of different lengths off one shelf. The shelf has an
// end, so an atomic addition is not enough. See docs/library/locks.md; the tests compile it for
// both machines and run it.
#include <finesync/device/backoff.cuh>
#include <finesync/device/watchdog.cuh>
#include <finesync/host/buffer.cuh>
#include <finesync/host/launch.cuh>
#include <finesync/host/watchdog.cuh>
#include <finesync/locks/exclusive.cuh>
#include <finesync/locks/lock_table.cuh>
#include <finesync/locks/value_passing_lock.cuh>

#include <cstdint>
#include <cstdio>

using namespace finesync;

namespace {

constexpr unsigned places = 500;

// The protected value, at most 12 bytes. It is zero at first, like the lock's own bytes.
struct shelf {
  std::uint32_t used;
  std::uint32_t pieces;
};

using shelf_lock = value_passing_lock<scope::device, shelf>;

// Every thread wants 1 to 7 places, and marks those that it gets.
__global__ void cut(lock_table_ref<shelf_lock> locks, cell<std::uint32_t>* marks,
                    watchdog_ref watchdog) {
  const unsigned wanted = 1 + (blockIdx.x * blockDim.x + threadIdx.x) % 7;
  unsigned first = places;
  const auto section = [&](shelf& s) {
    if (s.used + wanted > places) return;
    first = s.used;
    s.used += wanted;
    ++s.pieces;
  };
  if (!run_exclusive(locks[0], section, watchdog)) return;
  for (unsigned i = first; i < first + wanted && i < places; ++i) marks[i] = marks[i] + 1;
}

// The final value.
__global__ void look(lock_table_ref<shelf_lock> locks, cell<std::uint32_t>* used) {
  *used = locks[0].get().used;
}

}  // namespace

int main() {
  buffer<std::uint32_t> marks(places);
  buffer<std::uint32_t> used(1);
  marks.fill_bytes(0);

  const lock_table<shelf_lock> locks(1, lock_layout::padded);
  const watchdog timeout;
  launch_cooperative(cut, {.blocks = 8, .threads_per_block = 32}, locks.ref(), marks.device_data(),
                     timeout.ref());
  launch_independent(look, {.blocks = 1, .threads_per_block = 1}, locks.ref(), used.device_data());
  stream().synchronize();
  if (timeout.fired()) {
    std::puts("given up: a thread waited too long");
    return 1;
  }

  const std::uint32_t given = used.to_host()[0];
  unsigned once = 0;
  unsigned beyond = 0;
  const auto marked = marks.to_host();
  for (std::uint32_t i = 0; i < places; ++i) (i < given ? once : beyond) += marked[i] == 1;
  const bool right = given + 6 >= places && once == given && beyond == 0;
  std::printf("%u of %u places given away: %s\n", given, places, right ? "each once" : "wrong");
  return right ? 0 : 1;
}
