// Sections over two objects: threads move money between accounts, each under the locks of both, and
// learn whether it was moved. Explained in docs/library/multi_object.md; the tests compile it for
// both machines and run it.
#include <finesync/device/watchdog.cuh>
#include <finesync/host/buffer.cuh>
#include <finesync/host/launch.cuh>
#include <finesync/host/watchdog.cuh>
#include <finesync/locks/exclusive.cuh>
#include <finesync/locks/lock_table.cuh>
#include <finesync/locks/tas_lock.cuh>
#include <finesync/multi_object/multi_lock.cuh>

#include <cstdint>
#include <cstdio>
#include <numeric>
#include <vector>

using namespace finesync;

namespace {

constexpr unsigned accounts = 64;
constexpr std::uint32_t opening = 100;
constexpr unsigned blocks = 8, threads = 64, rounds = 20;

using lock = tas_lock<scope::device>;

/// Moves an amount, or nothing; `moved` tells which.
struct transfer {
  cell<std::uint32_t>& from;
  cell<std::uint32_t>& to;
  std::uint32_t amount;
  bool& moved;

  __device__ void operator()() const {
    moved = from >= amount;
    if (!moved) return;
    from = from - amount;
    to = to + amount;
  }
};

__global__ void trade(lock_table_ref<lock> locks, cell<std::uint32_t>* balances,
                      cell<std::uint32_t>* refused, watchdog_ref watchdog) {
  const unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
  std::uint32_t in_vain = 0;
  for (unsigned i = 0; i < rounds; ++i) {
    const std::uint32_t from = (thread * 7 + i * 13) % accounts;
    const std::uint32_t to = (thread * 3 + i * 5 + 1) % accounts;
    bool moved = false;
    const transfer section{balances[from], balances[to], 1 + (thread + i) % 50, moved};
    // Never waits for one account while it holds the other.
    const multi_lock<lock_table_ref<lock>, 2, all_or_nothing<>> both(locks, {from, to});
    if (!run_exclusive(both, section, watchdog)) return;
    in_vain += moved ? 0 : 1;
  }
  refused[thread] = in_vain;
}

}  // namespace

int main() {
  const lock_table<lock> locks(accounts, lock_layout::padded);
  buffer<std::uint32_t> balances(accounts);
  buffer<std::uint32_t> refused(blocks * threads);
  balances.copy_from(std::vector<std::uint32_t>(accounts, opening));
  refused.fill_bytes(0);

  const watchdog timeout;
  launch_cooperative(trade, {blocks, threads}, locks.ref(), balances.device_data(),
                     refused.device_data(), timeout.ref());
  stream().synchronize();
  if (const auto report = timeout.report()) {
    std::printf("given up: %s\n", to_string(*report).c_str());
    return 1;
  }
  const auto held = balances.to_host();
  const auto in_vain = refused.to_host();
  std::printf("%u of %u there after %u transfers\n", std::accumulate(held.begin(), held.end(), 0u),
              accounts * opening, blocks * threads * rounds);
  std::printf("%u of them refused\n", std::accumulate(in_vain.begin(), in_vain.end(), 0u));
  return 0;
}
