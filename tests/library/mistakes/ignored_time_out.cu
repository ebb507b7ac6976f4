// Adds to bins under their locks, but adds all the same if the lock was not to be had:
// CMakeLists.txt has what is reported.
#include <finesync/host/buffer.cuh>
#include <finesync/host/launch.cuh>
#include <finesync/locks/lock_table.cuh>
#include <finesync/locks/tas_lock.cuh>
#include <finesync/locks/try_exclusive.cuh>

using namespace finesync;

using lock = tas_lock<scope::device>;

constexpr unsigned bins = 8;

__global__ void add_to_bins(lock_table_ref<lock> locks, cell<unsigned>* histogram) {
  const unsigned bin = threadIdx.x % bins;
  const auto add = [&] { histogram[bin] = histogram[bin] + 1u; };
  const bool added = try_run_exclusive(locks[bin], add, own_limit{20'000});
  if (!added) histogram[bin] = histogram[bin] + 1u;
}

int main() {
  lock_table<lock> locks(bins, lock_layout::padded, "bins");
  const auto histogram = buffer<unsigned>::zeroed(bins, "histogram");
  launch_cooperative(add_to_bins, {.blocks = 16, .threads_per_block = 64}, locks.ref(),
                     histogram.device_data());
}
