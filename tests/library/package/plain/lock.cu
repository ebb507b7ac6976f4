// The smallest use of finesync: one thread block, one lock, a number that it protects.
#include <finesync/host/buffer.cuh>
#include <finesync/host/launch.cuh>
#include <finesync/host/watchdog.cuh>
#include <finesync/locks/exclusive.cuh>
#include <finesync/locks/lock_table.cuh>
#include <finesync/locks/tas_lock.cuh>

using namespace finesync;

using lock = tas_lock<scope::device>;

__global__ void add(lock_table_ref<lock> locks, cell<unsigned>* number, watchdog_ref watchdog) {
  const auto section = [=] { *number = *number + 1; };
  run_exclusive(locks[0], section, watchdog);
}

int main() {
  lock_table<lock> locks(1, lock_layout::padded);
  buffer<unsigned> number(1);
  number.fill_bytes(0);
  const watchdog timeout;
  launch_cooperative(add, {.threads_per_block = 64}, locks.ref(), number.device_data(),
                     timeout.ref());
  return number.to_host()[0] == 64 ? 0 : 1;
}
