// The exchange of exchange.hpp over split-phase barriers, overlapped ones, and those that order
// only execution; and reductions.
#pragma once

#include "exchange.hpp"

#include <finesync/barriers/overlap.cuh>
#include <finesync/barriers/reduction.cuh>
#include <finesync/device/fence.cuh>

#include <vector>

namespace finesync::test {

/// Between arrival and wait, blocks do slow work, or none.
template <class BarrierRef>
__global__ void split_exchange(BarrierRef barrier, exchange_ref with, watchdog_ref watchdog) {
  auto participant = join_alone(barrier, watchdog);
  const unsigned me = with.me();
  for (unsigned round = with.first_round; round < with.first_round + with.rounds; ++round) {
    with.write(round);
    const arrival_token mine = participant.arrive();
    with.dawdle(round, 0);
    if (!participant.wait(mine)) return;
    with.dawdle(round, 1);
    with.wrong[me] = with.wrong[me] + with.count_wrong(round);
    with.passed[me] = with.passed[me] + 1;
  }
}

/// The work of a round reads the writes of the last round but one. Four sets of words in turn:
/// blocks more than one round apart read wrong words.
template <class BarrierRef>
__global__ void fuzzy_exchange(BarrierRef barrier, exchange_ref with, watchdog_ref watchdog) {
  auto participant = join_alone(barrier, watchdog);
  for (unsigned round = with.first_round; round < with.first_round + with.rounds; ++round) {
    const bool ok = participant.wait_overlapped([&] {
      const unsigned me = with.me();
      with.dawdle(round, 0);
      with.write(round);
      with.dawdle(round, 1);
      if (round >= 2) with.wrong[me] = with.wrong[me] + with.count_wrong(round - 2);
      with.passed[me] = with.passed[me] + 1;
    });
    if (!ok) return;
  }
}

/// A program that needs more than ordered execution adds its own fences.
template <class BarrierRef>
__global__ void fenced_exchange(BarrierRef barrier, exchange_ref with, watchdog_ref watchdog) {
  auto participant = join_alone(barrier, watchdog);
  const unsigned me = with.me();
  for (unsigned round = with.first_round; round < with.first_round + with.rounds; ++round) {
    with.dawdle(round, 0);
    with.write(round);
    __syncthreads();
    fence<memory_order::release, scope::device>();
    if (!participant.wait(participant.arrive())) return;
    fence<memory_order::acquire, scope::device>();
    __syncthreads();
    with.dawdle(round, 1);
    with.wrong[me] = with.wrong[me] + with.count_wrong(round);
    with.passed[me] = with.passed[me] + 1;
  }
}

template <class Barrier, class Kernel>
verdict judge_by(Kernel* kernel, const exchange_plan& plan) {
  const Barrier barrier(plan.shape());
  exchange_plan working = plan;
  working.threads_per_block -= plan.idle_threads;
  exchange_state state(working);
  launch_shape shape = plan.shape();
  shape.shared_bytes = reduction_bytes<ref_of<Barrier>>;
  const bool ended = all_end(plan.launches, [&](unsigned launch, const watchdog_ref& watchdog) {
    launch_cooperative(kernel, shape, barrier.ref(), state.ref(launch), watchdog);
  });
  return {ended && state.complete(), state.nothing_wrong()};
}

template <class Barrier>
verdict judge_split(const exchange_plan& plan) {
  return judge_by<Barrier>(split_exchange<ref_of<Barrier>>, plan);
}

template <class Barrier>
verdict judge_fenced(const exchange_plan& plan) {
  return judge_by<Barrier>(fenced_exchange<ref_of<Barrier>>, plan);
}

/// \param plan plan with at least 33 threads.
template <class Barrier>
verdict judge_fuzzy(exchange_plan plan) {
  plan.sets = 4;
  plan.idle_threads = 32;
  return judge_by<Barrier>(fuzzy_exchange<ref_of<Barrier>>, plan);
}

/// How a round passes the barrier.
enum class form { whole, split, fuzzy };

/// Contributions of blocks: small numbers; in some rounds none.
__host__ __device__ inline std::uint32_t brought(unsigned block, unsigned round) {
  const std::uint32_t dice = (block + 1) * 2654435761u + round * 40503u;
  return round % 3 == 2 ? 0 : dice >> 20 & 7;
}

/// Not every block contributes in every round.
__host__ __device__ inline bool contributes(unsigned block, unsigned round) {
  return (block + round) % 4 != 3;
}

/// Counts the rounds in which a thread's result differs from `expected`, which has one per round.
template <class BarrierRef>
__global__ void carry(BarrierRef barrier, form how, const cell<std::uint32_t>* expected,
                      exchange_ref with, watchdog_ref watchdog) {
  auto participant = join_alone(barrier, watchdog);
  const unsigned me = blockIdx.x * blockDim.x + threadIdx.x;
  for (unsigned round = with.first_round; round < with.first_round + with.rounds; ++round) {
    with.dawdle(round, 0);
    // The first thread's contribution counts.
    if (contributes(blockIdx.x, round))
      participant.contribute(brought(blockIdx.x, round) + (threadIdx.x == 0 ? 0 : 100));
    bool ok = true;
    if (how == form::whole)
      ok = participant.wait();
    else if (how == form::split) {
      const arrival_token mine = participant.arrive();
      if (blockIdx.x ==
          round % gridDim.x)  // until others have arrived for the next round, if they can
        for (unsigned i = 0; i < 200; ++i) static_cast<void>(std::uint32_t{*with.unread});
      ok = participant.wait(mine);
    } else
      ok = participant.wait_overlapped([&] { with.dawdle(round, 1); });
    if (!ok) return;
    if (participant.reduced() != expected[round]) with.wrong[me] = with.wrong[me] + 1;
    with.passed[me] = with.passed[me] + 1;
  }
}

/// \param combine applied to all contributions, one after the other, starting from `nothing`.
template <class Barrier, class Combine>
verdict judge_carried(const exchange_plan& plan, form how, std::uint32_t nothing, Combine combine) {
  const Barrier barrier(plan.shape());
  exchange_state state(plan);
  std::vector<std::uint32_t> results(plan.rounds * plan.launches, nothing);
  for (unsigned round = 0; round < results.size(); ++round)
    for (unsigned block = 0; block < plan.blocks; ++block)
      if (contributes(block, round))
        results[round] = combine(results[round], brought(block, round));
  buffer<std::uint32_t> expected(results.size());
  expected.copy_from(results);
  launch_shape shape = plan.shape();
  shape.shared_bytes = reduction_bytes<ref_of<Barrier>>;
  const bool ended = all_end(plan.launches, [&](unsigned launch, const watchdog_ref& watchdog) {
    launch_cooperative(carry<ref_of<Barrier>>, shape, barrier.ref(), how, expected.device_data(),
                       state.ref(launch), watchdog);
  });
  return {ended && state.complete(), state.nothing_wrong()};
}

/// The reduction of two values, and its neutral value, defined independently of reduction.cuh.
template <class Reduction>
struct meaning;
template <>
struct meaning<sum_reduction> {
  static constexpr std::uint32_t nothing = 0;
  static std::uint32_t combine(std::uint32_t a, std::uint32_t b) { return a + b; }
};
template <>
struct meaning<any_reduction> {
  static constexpr std::uint32_t nothing = 0;
  static std::uint32_t combine(std::uint32_t a, std::uint32_t b) { return a != 0 || b != 0; }
};
template <>
struct meaning<min_reduction> {
  static constexpr std::uint32_t nothing = ~0u;
  static std::uint32_t combine(std::uint32_t a, std::uint32_t b) { return std::min(a, b); }
};

template <class Barrier, class Reduction = typename Barrier::reduction>
verdict judge_carried(const exchange_plan& plan, form how) {
  return judge_carried<Barrier>(plan, how, meaning<Reduction>::nothing,
                                meaning<Reduction>::combine);
}

}  // namespace finesync::test
