// The check of a barrier of several GPUs: every thread writes a word on its own GPU and one on the
// next, all pass the barrier, and every thread reads words that others wrote. Two sets of words
// alternate, so that a barrier that opens early, or late, shows words of the wrong round.
#pragma once

#include <finesync/several_gpus/gpus_barrier.cuh>
#include <finesync/several_gpus/symmetric_memory.cuh>

#include <tests/library/harness/harness.hpp>
#include <tests/library/harness/run_on_gpus.hpp>

namespace finesync::test {

struct gpus_exchange_config {
  std::vector<int> devices = {0, 1};
  unsigned blocks = 3;
  unsigned threads_per_block = 4;
  unsigned rounds = 4;  ///< per launch
  unsigned launches = 2;
  unsigned late = 0;  ///< reads of the last GPU's threads before they join
  counter_plan plan = {.how = counter_topology::gather_broadcast, .counters = 2, .replicas = 1};

  launch_shape shape() const { return {.blocks = blocks, .threads_per_block = threads_per_block}; }
  std::size_t threads() const { return std::size_t{blocks} * threads_per_block; }
};

/// The kernel side. A piece has two sets of words, each with those of its own threads, then those
/// that the threads of the GPU before it wrote, then a count of wrong words and one of rounds per
/// thread.
struct gpus_exchange_ref {
  symmetric_view view;
  unsigned rounds;
  unsigned first_round;
  unsigned late;

  __device__ unsigned threads() const { return gridDim.x * blockDim.x; }
  __device__ unsigned thread() const { return blockIdx.x * blockDim.x + threadIdx.x; }
  __device__ cell<std::uint32_t>& word(unsigned gpu, unsigned part, unsigned of) const {
    return view.at<std::uint32_t>(gpu, (std::size_t{part} * threads() + of) * 4);
  }
  __device__ std::uint32_t stamp(unsigned round, unsigned gpu, unsigned of) const {
    return (round * symmetric_view::most + gpu) * 8192 + of + 1;
  }

  /// Delays some blocks in some rounds, by reads of a word that does not change meanwhile.
  __device__ void dawdle(unsigned round, unsigned part) const {
    const unsigned dice =
        (view.me * gridDim.x + blockIdx.x + 1) * 2654435761u + (2 * round + part) * 40503u;
    if (dice >> 8 & 2) return;
    for (unsigned i = dice >> 16 & 31; i > 0; --i)
      static_cast<void>(std::uint32_t{word(view.me, 5, thread())});
  }

  __device__ void come_late() const {
    if (view.me != view.n - 1) return;
    for (unsigned i = late; i > 0; --i)
      static_cast<void>(std::uint32_t{word(view.me, 5, thread())});
  }

  __device__ void write(unsigned round) const {
    const std::uint32_t mine = stamp(round, view.me, thread());
    word(view.me, 2 * (round % 2), thread()) = mine;
    word((view.me + 1) % view.n, 2 * (round % 2) + 1, thread()) = mine;
  }

  __device__ unsigned count_wrong(unsigned round) const {
    unsigned found = 0;
    for (const unsigned far : {0u, 1u, 1 + round % view.n}) {
      const unsigned gpu = (view.me + far) % view.n;
      const unsigned of = (thread() + (1 + round) * blockDim.x) % threads();
      const std::uint32_t wanted = stamp(round, gpu, of);
      found += word(gpu, 2 * (round % 2), of) != wanted;
      found += word((gpu + 1) % view.n, 2 * (round % 2) + 1, of) != wanted;
    }
    return found;
  }
};

inline constexpr unsigned exchange_parts = 6;  ///< words per thread in a piece

template <class BarrierRef>
__global__ void exchange_on_gpus(BarrierRef barrier, gpus_exchange_ref with,
                                 watchdog_ref watchdog) {
  with.come_late();
  auto participant = barrier.join(watchdog);
  cell<std::uint32_t>& wrong = with.word(with.view.me, 4, with.thread());
  cell<std::uint32_t>& passed = with.word(with.view.me, 5, with.thread());
  for (unsigned round = with.first_round; round < with.first_round + with.rounds; ++round) {
    with.dawdle(round, 0);
    with.write(round);
    if (!participant.wait()) return;
    with.dawdle(round, 1);
    wrong = wrong + with.count_wrong(round);
    passed = passed + 1;
  }
}

struct gpus_outcome {
  bool complete;       ///< every wait ended
  bool nothing_wrong;  ///< all words read were right
  bool right() const { return complete && nothing_wrong; }
};

/// \param barrier an owner with ref(gpu).
template <class Barrier>
gpus_outcome run_exchange_on_gpus(const gpus_exchange_config& plan, const peers& all,
                                  const Barrier& barrier) {
  symmetric_memory words(all, exchange_parts * plan.threads());
  const gpus_watchdog timeout(all);
  for (unsigned launch = 0; launch < plan.launches; ++launch) {
    launch_together(
        all.streams(), exchange_on_gpus<decltype(barrier.ref(0))>, plan.shape(), [&](unsigned me) {
          return std::tuple(
              barrier.ref(me),
              gpus_exchange_ref{words.view(me), plan.rounds, launch * plan.rounds, plan.late},
              timeout.ref(me));
        });
  }
  gpus_outcome all_found{!timeout.fired(), true};
  for (unsigned gpu = 0; gpu < all.size(); ++gpu) {
    const std::vector<std::uint32_t> found = words.piece(gpu).to_host();
    const auto part = [&](unsigned number) { return found.begin() + number * plan.threads(); };
    all_found.nothing_wrong = all_found.nothing_wrong &&
                              std::all_of(part(4), part(5), [](auto wrong) { return wrong == 0; });
    all_found.complete = all_found.complete && std::all_of(part(5), part(6), [&](auto passed) {
                           return passed == plan.rounds * plan.launches;
                         });
  }
  return all_found;
}

template <class Barrier>
gpus_outcome run_exchange_on_gpus(const gpus_exchange_config& plan) {
  const peers all(std::span<const int>(plan.devices));
  if constexpr (std::is_constructible_v<Barrier, const peers&, launch_shape, counter_plan>)
    return run_exchange_on_gpus(plan, all, Barrier(all, plan.shape(), plan.plan));
  else
    return run_exchange_on_gpus(plan, all, Barrier(all, plan.shape()));
}

}  // namespace finesync::test
