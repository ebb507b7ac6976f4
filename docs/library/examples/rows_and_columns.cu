// Teams of blocks in a user's kernel: the blocks of a grid are a matrix, and each one belongs to
// two teams, its row and its column. The largest number of all is found along the rows, then along
// the columns; no block ever waits for the whole grid. The tests compile it for both machines and
// run it.
#include <finesync/barriers/team_barrier.cuh>
#include <finesync/device/watchdog.cuh>
#include <finesync/host/buffer.cuh>
#include <finesync/host/gpu.cuh>
#include <finesync/host/launch.cuh>
#include <finesync/host/watchdog.cuh>

#include <algorithm>
#include <cstdio>
#include <vector>

using namespace finesync;

namespace {

constexpr unsigned columns = 4;

__device__ unsigned larger(unsigned a, unsigned b) {
  return a < b ? b : a;
}

// Thread t of each block has a number. Afterwards it has the largest of the threads t of all
// blocks.
__global__ void largest_of_all(team_barrier::ref_type teams, cell<unsigned>* numbers,
                               cell<unsigned>* of_rows, watchdog_ref watchdog) {
  const unsigned rows = gridDim.x / columns;
  const unsigned row = blockIdx.x / columns;
  const unsigned column = blockIdx.x % columns;
  auto my_row = teams.join({.team = row, .rank = column, .members = columns}, watchdog);
  auto my_column = teams.join({.team = rows + column, .rank = row, .members = rows}, watchdog);
  const auto place = [&](unsigned r, unsigned c) {
    return (r * columns + c) * blockDim.x + threadIdx.x;
  };

  unsigned largest = 0;
  for (unsigned c = 0; c < columns; ++c)
    largest = larger(largest, unsigned{numbers[place(row, c)]});
  of_rows[place(row, column)] = largest;
  if (!my_column.wait()) return;  // now the column sees what each of its rows found
  for (unsigned r = 0; r < rows; ++r)
    largest = larger(largest, unsigned{of_rows[place(r, column)]});
  if (!my_row.wait()) return;  // the row has read the numbers that are overwritten now
  numbers[place(row, column)] = largest;
}

}  // namespace

int main() {
  constexpr unsigned threads = 64;
  const unsigned rows = std::max(3u, static_cast<unsigned>(current_gpu().sms) / columns);
  const launch_shape shape{.blocks = rows * columns, .threads_per_block = threads};

  std::vector<unsigned> given(shape.blocks * threads);
  for (unsigned i = 0; i < given.size(); ++i) given[i] = i * 2654435761u >> 8;
  std::vector<unsigned> right(threads, 0);
  for (unsigned i = 0; i < given.size(); ++i)
    right[i % threads] = std::max(right[i % threads], given[i]);

  buffer<unsigned> numbers(given.size());
  numbers.copy_from(given);
  buffer<unsigned> of_rows(given.size());
  const team_barrier teams(rows + columns);
  const watchdog timeout;
  launch_cooperative(largest_of_all, shape, teams.ref(), numbers.device_data(),
                     of_rows.device_data(), timeout.ref());
  stream().synchronize();
  if (timeout.fired()) {
    std::puts("given up: a block waited too long");
    return 1;
  }

  unsigned wrong = 0;
  const std::vector<unsigned> found = numbers.to_host();
  for (unsigned i = 0; i < found.size(); ++i) wrong += found[i] != right[i % threads];
  std::printf("rows and columns of blocks: %u wrong\n", wrong);
  return wrong == 0 ? 0 : 1;
}
