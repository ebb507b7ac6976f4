// A day's transfers between accounts, cleared at night: a batch in conflict-free rounds, without a
// lock. Explained in docs/library/multi_object.md; the tests compile it for both machines and run
// it.
#include <finesync/conflict_free/grouped_schedule.cuh>
#include <finesync/conflict_free/queues.cuh>
#include <finesync/conflict_free/round_robin.cuh>
#include <finesync/conflict_free/run_batch_by_warps.cuh>
#include <finesync/device/watchdog.cuh>
#include <finesync/host/buffer.cuh>
#include <finesync/host/launch.cuh>
#include <finesync/host/watchdog.cuh>

#include <cstdint>
#include <cstdio>
#include <numeric>
#include <vector>

using namespace finesync;

namespace {

constexpr unsigned accounts = 128, transfers = 60000;
constexpr std::uint32_t opening = 100;
constexpr stage_size stage = {.entries = 512, .parts = 4};  // a round of a warp has about 240

/// Four groups of 32 accounts, and one warp per two groups.
using schedule = grouped_schedule<round_robin>;

/// The argument of a section: the amount that the first account of the pair pays the second. If it
/// is negative, the second pays.
using amount = std::int32_t;

/// Request i, and its queue.
struct requests {
  schedule all;

  __device__ keyed_entry<amount> operator()(std::uint32_t i) const {
    const unsigned from = i * 7 % accounts;
    const unsigned to = (from + 1 + i * 13 % (accounts - 1)) % accounts;
    const auto paid = static_cast<amount>(1 + i % 50);
    const pair_slot at = all.slot_of(from, to);
    return {queue_of(all, at), at.swapped ? -paid : paid};
  }
};

/// Moves an amount, or nothing. Each lane has its own section, which counts.
struct transfer {
  std::uint32_t refused = 0;

  __device__ void operator()(std::uint32_t& first, std::uint32_t& second, amount paid) {
    const auto balance = static_cast<std::int32_t>(first);
    const auto other = static_cast<std::int32_t>(second);
    if (balance < paid || other < -paid) {
      ++refused;
    } else {
      first = static_cast<std::uint32_t>(balance - paid);
      second = static_cast<std::uint32_t>(other + paid);
    }
  }
};

__global__ void clear(schedule all, queues_with_replies_ref<amount> queues,
                      handoff_by_version<std::uint32_t> balances, stage_size size,
                      cell<std::uint32_t>* refused, watchdog_ref timeout) {
  transfer section;
  if (!run_batch_by_warps(all, queues, balances, size, section, timeout)) return;
  refused[blockIdx.x * blockDim.x + threadIdx.x] = section.refused;
}

}  // namespace

int main() {
  const schedule all(round_robin(accounts / schedule::size));
  const unsigned warps = all.groups().pairs_per_round();
  queues_with_replies<amount> queues(all.rounds() * all.pairs_per_round(), transfers);
  buffer<std::uint64_t> balances(accounts);
  buffer<std::uint32_t> refused(warps * 32);
  balances.copy_from(std::vector<std::uint64_t>(accounts, opening));
  const watchdog timeout;

  queues.sort(requests{all}, transfers);
  launch_cooperative(clear,
                     {.blocks = warps,
                      .threads_per_block = 32,
                      .shared_bytes = shared_bytes_by_warps<std::uint32_t, amount>(all, stage)},
                     all, queues.ref(), handoff_by_version<std::uint32_t>{balances.device_data()},
                     stage, refused.device_data(), timeout.ref());
  if (timeout.fired()) {
    std::printf("a warp waited too long\n");
    return 1;
  }

  const auto held = balances.to_host();
  const auto in_vain = refused.to_host();
  std::printf("%d of %d there after %u transfers\n",
              static_cast<int>(std::accumulate(held.begin(), held.end(), std::uint64_t{0})),
              static_cast<int>(accounts * opening), transfers);
  std::printf("%u of them refused\n", std::accumulate(in_vain.begin(), in_vain.end(), 0u));
  return 0;
}
