// All threads of a grid increment one counter, which only a lock protects.
#include <finesync/device/watchdog.cuh>
#include <finesync/host/buffer.cuh>
#include <finesync/host/launch.cuh>
#include <finesync/host/watchdog.cuh>
#include <finesync/locks/exclusive.cuh>
#include <finesync/locks/lock_table.cuh>
#include <finesync/locks/tas_lock.cuh>
#include <finesync/locks/ttas_lock.cuh>

#include <exception>
#include <iostream>
#include <stdexcept>

using namespace finesync;

// A cell<unsigned> is an unsigned that threads share. A thread that acquires the lock reads what
// the previous holder wrote under it.
template <class Lock>
__global__ void count(lock_table_ref<Lock> locks, cell<unsigned>* counter, watchdog_ref watchdog) {
  const auto increment = [=] { *counter = *counter + 1; };
  run_exclusive(locks[0], increment, watchdog);  // false if the watchdog ended the wait
}

template <class Lock>
void count_under(const char* name) {
  constexpr launch_shape grid{.blocks = 4, .threads_per_block = 128};
  constexpr unsigned threads = grid.blocks * grid.threads_per_block;

  lock_table<Lock> locks(1, lock_layout::padded);
  buffer<unsigned> counter(1);
  counter.fill_bytes(0);
  watchdog timeout;  // ends the kernel if a thread waits too long for the lock

  launch_cooperative(count<Lock>, grid, locks.ref(), counter.device_data(), timeout.ref());
  stream().synchronize();

  if (timeout.fired()) throw std::runtime_error("a thread waited too long for the lock");
  const unsigned counted = counter.to_host()[0];
  if (counted != threads) throw std::runtime_error("an increment was lost");
  std::cout << name << ": " << counted << " of " << threads << " increments\n";
}

// Every failure, from a missing GPU to a grid that does not fit, is an exception.
int main() try {
  count_under<tas_lock<scope::device>>("tas_lock");
  count_under<ttas_lock<scope::device>>("ttas_lock");
} catch (const std::exception& trouble) {
  std::cerr << "counter: " << trouble.what() << '\n';
  return 1;
}
