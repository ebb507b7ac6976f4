// The check of a barrier: every thread writes, all pass the barrier, and every thread reads other
// threads' words. Two alternating sets of words need one barrier per round. A block that leaves a
// barrier early, or late, then reads words of the wrong round. Also over split-phase barriers,
// overlapped ones, and those that order only execution; and reductions.
#pragma once

#include <finesync/barriers/overlap.cuh>
#include <finesync/barriers/reduction.cuh>
#include <finesync/device/fence.cuh>

#include <tests/catalogue/barriers.hpp>
#include <tests/library/dimensions/laid_out.hpp>
#include <tests/library/harness/harness.hpp>

namespace finesync::test {

struct exchange_config {
  unsigned blocks = 5;
  unsigned threads_per_block = 40;
  unsigned stores = 1;  ///< per thread and round, each set of words far from the next
  unsigned rounds = 4;  ///< per launch
  unsigned launches = 2;
  unsigned cluster_blocks = 1;
  unsigned sets = 2;          ///< sets of words, which rounds use in turn
  unsigned idle_threads = 0;  ///< first threads of each block, which have no words
  unsigned dimensions = 1;

  std::size_t working_threads() const {
    return std::size_t{blocks} * (threads_per_block - idle_threads);
  }
  launch_shape shape() const {
    return laid_out({.blocks = blocks,
                     .threads_per_block = threads_per_block,
                     .cluster_blocks = cluster_blocks},
                    dimensions);
  }
};

/// As many blocks as fit on the small GPU, and more threads than a warp.
inline const exchange_config many_times_on_a_full_small_gpu{.blocks = 32,
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

  /// Counts a round that this thread has passed, and the wrong words that it then finds.
  __device__ void check(unsigned round) const {
    wrong[me()] = wrong[me()] + count_wrong(round);
    passed[me()] = passed[me()] + 1;
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
__device__ auto join_exchange(const BarrierRef& barrier, const watchdog_ref& watchdog) {
  if constexpr (requires { barrier.join(watchdog); })
    return barrier.join(watchdog);
  else
    return join_alone(barrier, watchdog);
}

/// How a round is written, and passes the barrier: as a whole.
struct whole_rounds {
  template <class Participant>
  __device__ static bool pass(Participant& participant, const exchange_ref& with, unsigned round) {
    with.dawdle(round, 0);
    with.write(round);
    return participant.wait();
  }
};

/// Between arrival and wait, blocks do slow work, or none.
struct split_rounds {
  template <class Participant>
  __device__ static bool pass(Participant& participant, const exchange_ref& with, unsigned round) {
    with.write(round);
    const arrival_token mine = participant.arrive();
    with.dawdle(round, 0);
    return participant.wait(mine);
  }
};

/// A program that needs more than ordered execution adds its own fences.
struct fenced_rounds {
  template <class Participant>
  __device__ static bool pass(Participant& participant, const exchange_ref& with, unsigned round) {
    with.dawdle(round, 0);
    with.write(round);
    __syncthreads();
    fence<memory_order::release, scope::device>();
    if (!participant.wait(participant.arrive())) return false;
    fence<memory_order::acquire, scope::device>();
    __syncthreads();
    return true;
  }
};

template <class BarrierRef, class Rounds>
__global__ void exchange(BarrierRef barrier, exchange_ref with, watchdog_ref watchdog) {
  auto participant = join_exchange(barrier, watchdog);
  for (unsigned round = with.first_round; round < with.first_round + with.rounds; ++round) {
    if (!Rounds::pass(participant, with, round)) return;
    with.dawdle(round, 1);
    with.check(round);
  }
}

/// The work of a round reads the writes of the last round but one. Four sets of words in turn:
/// blocks more than one round apart read wrong words.
template <class BarrierRef>
__global__ void fuzzy_exchange(BarrierRef barrier, exchange_ref with, watchdog_ref watchdog) {
  auto participant = join_exchange(barrier, watchdog);
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

struct exchange_outcome {
  bool complete;       ///< every wait ended, and every thread passed every round
  bool nothing_wrong;  ///< all checked words were right
  bool right() const { return complete && nothing_wrong; }
};

/// Owner of an exchange's words and its result.
class exchange_state {
 public:
  explicit exchange_state(const exchange_config& config)
      : config_(config),
        words_(zeroed(config.sets * config.stores * config.working_threads())),
        unread_(zeroed(1)),
        wrong_(zeroed(config.working_threads())),
        passed_(zeroed(config.working_threads())) {}

  exchange_ref ref(unsigned launch) const {
    return {words_.device_data(),    unread_.device_data(), wrong_.device_data(),
            passed_.device_data(),   config_.stores,        config_.rounds,
            launch * config_.rounds, config_.sets,          config_.idle_threads};
  }

  /// \param ended whether no wait was ended.
  exchange_outcome outcome(bool ended) const {
    return {ended && all_are(passed_, config_.rounds * config_.launches), all_are(wrong_, 0)};
  }

 private:
  exchange_config config_;
  buffer<std::uint32_t> words_, unread_, wrong_, passed_;
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

/// Runs a kernel that gets the barrier, an exchange and a watchdog, and more before the exchange.
template <class Barrier, class Kernel, class... More>
exchange_outcome run_exchange(const exchange_config& config, const Barrier& barrier, Kernel* kernel,
                              const More&... more) {
  const exchange_state state(config);
  launch_shape shape = config.shape();
  shape.shared_bytes = reduction_bytes<ref_of<Barrier>>;
  return state.outcome(all_end(config.launches, [&](unsigned launch, const watchdog_ref& watchdog) {
    launch_cooperative(kernel, shape, barrier.ref(), more..., state.ref(launch), watchdog);
  }));
}

template <class Rounds = whole_rounds, class Barrier>
exchange_outcome run_exchange(const exchange_config& config, const Barrier& barrier) {
  return run_exchange(config, barrier, exchange<ref_of<Barrier>, Rounds>);
}

/// The same with a new barrier.
template <class Barrier>
exchange_outcome run_exchange(const exchange_config& config) {
  return run_exchange(config, Barrier(config.shape()));
}

template <class Barrier>
exchange_outcome run_split_exchange(const exchange_config& config) {
  return run_exchange<split_rounds>(config, Barrier(config.shape()));
}

template <class Barrier>
exchange_outcome run_fenced_exchange(const exchange_config& config) {
  return run_exchange<fenced_rounds>(config, Barrier(config.shape()));
}

/// \param config with at least 33 threads.
template <class Barrier>
exchange_outcome run_fuzzy_exchange(exchange_config config) {
  config.sets = 4;
  config.idle_threads = 32;
  return run_exchange(config, Barrier(config.shape()), fuzzy_exchange<ref_of<Barrier>>);
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
__global__ void carry(BarrierRef barrier, form how, cell<std::uint32_t>* expected,
                      exchange_ref with, watchdog_ref watchdog) {
  auto participant = join_exchange(barrier, watchdog);
  const unsigned me = with.me();
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

/// \tparam Reduction by which all contributions are combined, one after the other.
template <class Barrier, class Reduction = typename Barrier::reduction>
exchange_outcome run_carried(const exchange_config& config, form how) {
  std::vector<std::uint32_t> results(config.rounds * config.launches, meaning<Reduction>::nothing);
  for (unsigned round = 0; round < results.size(); ++round)
    for (unsigned block = 0; block < config.blocks; ++block)
      if (contributes(block, round))
        results[round] = meaning<Reduction>::combine(results[round], brought(block, round));
  const auto expected = filled_with(results);
  return run_exchange(config, Barrier(config.shape()), carry<ref_of<Barrier>>, how,
                      expected.device_data());
}

/// Point at which a block stays away.
enum class absence { before_join, before_wait };

template <class BarrierRef>
__global__ void wait_for_absent(BarrierRef barrier, unsigned who, absence when, form how,
                                cell<std::uint32_t>* gave_up, cell<std::uint32_t>* beats,
                                watchdog_ref watchdog) {
  const bool absent = blockIdx.x == who;
  const auto stay_away = [&] {
    if (threadIdx.x == 0) outlast(watchdog, *beats);
  };
  if (absent && when == absence::before_join) return stay_away();
  auto participant = join_exchange(barrier, watchdog);
  if (absent) return stay_away();
  bool ok = true;
  if (how == form::whole) ok = participant.wait();
  if constexpr (supports_split_phase<decltype(participant)>)
    if (how == form::split) ok = participant.wait(participant.arrive());
  if constexpr (supports_overlap<decltype(participant)>)
    if (how == form::fuzzy) ok = participant.wait_overlapped([] {});
  if (!ok) gave_up[blockIdx.x * blockDim.x + threadIdx.x] = 1u;
}

/// A block never arrives: the watchdog ends the others' waits; a reset restores the barrier.
template <class Barrier>
void expect_given_up(form how, absence when = absence::before_wait, unsigned who = 0) {
  const exchange_config config{.blocks = 6, .threads_per_block = 40};
  const launch_shape shape = config.shape();
  Barrier barrier(shape);
  const auto gave_up = zeroed(config.working_threads());
  EXPECT_FALSE(ends(watchdog(soon_ns), wait_for_absent<ref_of<Barrier>>, shape, barrier, who, when,
                    how, gave_up, zeroed(1)));
  EXPECT_EQ(count_of(gave_up, 1), (shape.blocks - 1) * shape.threads_per_block);
  barrier.reset();
  EXPECT_TRUE(run_exchange(config, barrier).right());
}

}  // namespace finesync::test
