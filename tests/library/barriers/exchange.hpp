// The check of a barrier: every thread writes, all pass the barrier, and every thread reads other
// threads' words. Two alternating sets of words need one barrier per round. A block that leaves a
// barrier early, or late, then reads words of the wrong round.
#pragma once

#include <finesync/device/watchdog.cuh>
#include <finesync/host/buffer.cuh>
#include <finesync/host/launch.cuh>
#include <finesync/host/watchdog.cuh>
#include <simt/settings.hpp>

#include <tests/catalogue/barriers.hpp>
#include <tests/library/dimensions/laid_out.hpp>
#include <tests/seed_budget.hpp>

#include <algorithm>
#include <cstdint>

namespace finesync::test {

struct exchange_plan {
  unsigned blocks = 5;
  unsigned threads_per_block = 40;
  unsigned stores = 1;  ///< per thread and round, each set of words far from the next
  unsigned rounds = 4;  ///< per launch
  unsigned launches = 2;
  unsigned cluster_blocks = 1;
  unsigned sets = 2;          ///< sets of words, which rounds use in turn
  unsigned idle_threads = 0;  ///< first threads of each block, which have no words
  unsigned dimensions = 1;

  launch_shape shape() const {
    return laid_out({.blocks = blocks,
                     .threads_per_block = threads_per_block,
                     .cluster_blocks = cluster_blocks},
                    dimensions);
  }
};

/// As many blocks as fit on the small GPU, and more threads than a warp.
inline const exchange_plan many_times_on_a_full_small_gpu{.blocks = 32,
                                                          .threads_per_block = 33,
                                                          .rounds = daily_or_whole(8u, 20u),
                                                          .launches = daily_or_whole(2u, 3u)};

/// The kernel side of an exchange.
struct exchange_ref {
  cell<std::uint32_t>* words;
  cell<std::uint32_t>* unread;  ///< never written: polled during delays
  cell<std::uint32_t>* wrong;   ///< per thread: words found with the wrong stamp
  cell<std::uint32_t>* passed;  ///< per thread: rounds
  unsigned stores;
  unsigned rounds;
  unsigned first_round;
  unsigned sets;
  unsigned idle_threads;

  __device__ unsigned threads_per_block() const { return threads_of_block() - idle_threads; }
  __device__ unsigned me() const {
    return linear_block() * threads_per_block() + linear_thread() - idle_threads;
  }
  __device__ cell<std::uint32_t>& word(unsigned round, unsigned store, unsigned thread) const {
    const unsigned threads = blocks_of_grid() * threads_per_block();
    return words[((round % sets) * stores + store) * threads + thread];
  }
  __device__ std::uint32_t stamp(unsigned round, unsigned store, unsigned thread) const {
    return (round * stores + store) * 8192 + thread + 1;
  }

  /// Delays some blocks in some rounds, before the barrier (part 0) or after it (part 1).
  __device__ void dawdle(unsigned round, unsigned part) const {
    const unsigned dice = (linear_block() + 1) * 2654435761u + (2 * round + part) * 40503u;
    if (dice >> 8 & 2) return;
    for (unsigned i = dice >> 16 & 31; i > 0; --i) static_cast<void>(std::uint32_t{*unread});
  }

  __device__ void write(unsigned round) const {
    for (unsigned i = 0; i < stores; ++i) word(round, i, me()) = stamp(round, i, me());
  }

  /// Checks words of one thread of another block and of one of any block, varied by round.
  __device__ unsigned count_wrong(unsigned round) const {
    const unsigned threads = blocks_of_grid() * threads_per_block();
    unsigned found = 0;
    for (const unsigned distance : {(1 + round) * threads_per_block(), 1 + 3 * round}) {
      const unsigned other = (me() + distance) % threads;
      for (unsigned i = 0; i < stores; ++i)
        found += word(round, i, other) != stamp(round, i, other);
    }
    return found;
  }
};

template <class BarrierRef>
__global__ void exchange(BarrierRef barrier, exchange_ref with, watchdog_ref watchdog) {
  auto participant = barrier.join(watchdog);
  const unsigned me = linear_block() * threads_of_block() + linear_thread();
  for (unsigned round = with.first_round; round < with.first_round + with.rounds; ++round) {
    with.dawdle(round, 0);
    with.write(round);
    if (!participant.wait()) return;
    with.dawdle(round, 1);
    with.wrong[me] = with.wrong[me] + with.count_wrong(round);
    with.passed[me] = with.passed[me] + 1;
  }
}

/// Owner of an exchange's words and its result.
class exchange_state {
 public:
  explicit exchange_state(const exchange_plan& plan)
      : plan_(plan),
        words_(plan.sets * plan.stores * threads()),
        unread_(1),
        wrong_(threads()),
        passed_(threads()) {
    for (buffer<std::uint32_t>* each : {&words_, &unread_, &wrong_, &passed_}) each->fill_bytes(0);
  }

  exchange_ref ref(unsigned launch) const {
    return {
        words_.device_data(), unread_.device_data(), wrong_.device_data(),  passed_.device_data(),
        plan_.stores,         plan_.rounds,          launch * plan_.rounds, plan_.sets,
        plan_.idle_threads};
  }

  bool nothing_wrong() const { return all(wrong_, 0); }
  /// Every thread passed every round.
  bool complete() const { return all(passed_, plan_.rounds * plan_.launches); }

 private:
  static bool all(const buffer<std::uint32_t>& counts, std::uint32_t wanted) {
    const auto values = counts.to_host();
    return std::all_of(values.begin(), values.end(),
                       [&](std::uint32_t count) { return count == wanted; });
  }
  std::size_t threads() const { return std::size_t{plan_.blocks} * plan_.threads_per_block; }

  exchange_plan plan_;
  buffer<std::uint32_t> words_, unread_, wrong_, passed_;
};

struct verdict {
  bool complete;       ///< every wait ended
  bool nothing_wrong;  ///< all checked words were right
  bool right() const { return complete && nothing_wrong; }
};

/// Calls launch(number of the launch, watchdog) repeatedly, without a reset in between. Each launch
/// has its own schedule, and so its own placement of blocks on SMs. \returns whether all ended.
template <class Launch>
bool all_end(unsigned launches, Launch launch) {
  watchdog timeout;
  try {
    for (unsigned number = 0; number < launches; ++number) {
      simt::settings how = simt::current_settings();
      how.seed += number << 20;
      simt::scoped_settings scoped(how);
      launch(number, timeout.ref());
      stream().synchronize();
    }
  } catch (const hang_error&) {
    return false;
  }
  return !timeout.fired();
}

template <class Barrier>
verdict judge(const exchange_plan& plan, const Barrier& barrier) {
  exchange_state state(plan);
  const bool ended = all_end(plan.launches, [&](unsigned launch, const watchdog_ref& watchdog) {
    launch_cooperative(exchange<ref_of<Barrier>>, plan.shape(), barrier.ref(), state.ref(launch),
                       watchdog);
  });
  return {ended && state.complete(), state.nothing_wrong()};
}

template <class Barrier>
verdict judge(const exchange_plan& plan) {
  return judge(plan, Barrier(plan.shape()));
}

}  // namespace finesync::test
