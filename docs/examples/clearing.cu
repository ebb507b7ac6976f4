// A day's transfers between accounts, cleared at night: a batch, played by a timetable without a
// lock. docs/nested.md walks through it; the tests compile it for both machines and run it.
#include <finesync/device/buffer.cuh>
#include <finesync/device/launch.cuh>
#include <finesync/timetable/play_by_threads.cuh>
#include <finesync/timetable/queues.cuh>
#include <finesync/timetable/round_robin.cuh>

#include <cstdint>
#include <cstdio>
#include <numeric>
#include <vector>

using namespace finesync;

namespace {

constexpr unsigned accounts = 64, transfers = 20000;
constexpr std::int32_t opening = 100;
constexpr unsigned threads = 64, staged = 512;

/// What a section needs to know: how much the first of the two at the table pays the second, or,
/// where it is negative, the other way round.
using amount = std::int32_t;

/// Request i, and where it is to be played.
struct requests {
  round_robin all;

  __device__ queued<amount> operator()(std::uint32_t i) const {
    const unsigned from = i * 7 % accounts;
    const unsigned to = (from + 1 + i * 13 % (accounts - 1)) % accounts;
    const auto paid = static_cast<amount>(1 + i % 50);
    const match at = all.match_of(from, to);
    return {queue_of(all, at), at.swapped ? -paid : paid};
  }
};

/// Moves an amount, or none of it. Each thread has a section of its own, which counts.
struct transfer {
  std::uint32_t refused = 0;

  __device__ void operator()(std::int32_t& first, std::int32_t& second, amount paid) {
    if (first < paid || second < -paid) {
      ++refused;
    } else {
      first -= paid;
      second += paid;
    }
  }
};

__global__ void clear(round_robin all, queues_ref<amount> queues, cell<std::int32_t>* balances,
                      cell<std::uint32_t>* refused) {
  transfer section;
  play_by_threads(all, queues, balances, staged, section);
  refused[threadIdx.x] = section.refused;
}

}  // namespace

int main() {
  const round_robin all(accounts);
  batch_queues<amount> queues(queues_of(all), transfers);
  buffer<std::int32_t> balances(accounts);
  buffer<std::uint32_t> refused(threads);
  balances.copy_from(std::vector<std::int32_t>(accounts, opening));

  queues.sort(requests{all}, transfers);
  launch_independent(clear,
                     {.blocks = 1,
                      .threads_per_block = threads,
                      .shared_bytes = shared_bytes_by_threads<std::int32_t, amount>(all, staged)},
                     all, queues.ref(), balances.cells(), refused.cells());

  const auto held = balances.to_host();
  const auto in_vain = refused.to_host();
  std::printf("%d of %d there after %u transfers\n", std::accumulate(held.begin(), held.end(), 0),
              static_cast<int>(accounts) * opening, transfers);
  std::printf("%u of them refused\n", std::accumulate(in_vain.begin(), in_vain.end(), 0u));
  return 0;
}
