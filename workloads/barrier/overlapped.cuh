// Rounds with a split-phase or overlapped barrier or a reduction, and with work that overlaps with
// the barrier.
#pragma once

#include "barrier_experiment.cuh"

#include <finesync/barriers/counter_participant.cuh>
#include <finesync/barriers/overlap.cuh>
#include <finesync/barriers/reduction.cuh>
#include <finesync/device/fence.cuh>
#include <finesync/device/numbering.cuh>
#include <finesync/device/ptx/sleep.cuh>
#include <workloads/common/outcomes.hpp>

#include <cstdint>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace finesync::barrier {

/// What a block contributes to the reduction of a round.
__host__ __device__ inline std::uint32_t contribution_of(unsigned block, std::uint32_t round) {
  return round % 3 == 2 ? 0 : (block + round) & 7;
}
__host__ __device__ inline std::uint32_t digest_of(std::uint32_t digest, std::uint32_t result) {
  return digest * 31 + result;
}

/// One round: the barrier in this form, and `work`, which overlaps with it where the form allows.
template <barrier_form Form>
struct barrier_step {
  template <class Participant, class Work>
  __device__ static bool pass(Participant& participant, Work work) {
    if constexpr (Form == barrier_form::overlapped) {
      return participant.wait_overlapped(work);
    } else if constexpr (Form == barrier_form::split_phase) {
      const arrival_token mine = participant.arrive();
      work();
      return participant.wait(mine);
    } else {
      work();
      return participant.wait();
    }
  }
};

/// No barrier: to time only the work, with the same number of working threads.
struct no_overlapped_barrier {
  struct participant {
    template <class Work>
    __device__ bool wait_overlapped(Work work) {
      if (threadIdx.x >= 32) work();
      return true;
    }
    __device__ arrival_token arrive() { return {}; }
    __device__ bool wait(arrival_token) { return true; }
    __device__ bool wait() { return true; }
  };
  __device__ participant join(const watchdog_ref&) const { return {}; }
};

/// Numbers of threads with wrong results.
struct mismatches {
  cell<std::uint32_t>& payload;  ///< wrong reduction results
  cell<std::uint32_t>& work;     ///< work that did not run exactly once per round
};

/// \param digest of the expected results.
template <class Barrier, barrier_form Form>
__global__ void __maxnreg__(64)
    run_overlapped(Barrier barrier, unsigned work_cycles, unsigned rounds, std::uint32_t digest,
                   mismatches found, cell<std::uint32_t>* left_over, watchdog_ref watchdog) {
  assume_one_dimension<Barrier>();
  const auto count = [](cell<std::uint32_t>& threads) {
    atomic_ref<std::uint32_t, scope::device>(threads).fetch_add(1, memory_order::relaxed);
  };
  auto participant = join_alone(barrier, watchdog);
  constexpr bool carries = supports_reduction<decltype(participant)>;
  std::uint32_t round = 0;
  std::uint32_t results = 0;
  std::uint32_t worked = 0;
  for (; round < rounds; ++round) {
    if constexpr (carries) participant.contribute(contribution_of(blockIdx.x, round));
    const auto work = [&] {
      pause_cycles(work_cycles);
      ++worked;
    };
    if (!barrier_step<Form>::pass(participant, work)) break;
    if constexpr (carries) results = digest_of(results, participant.reduced());
  }
  if (round < rounds) {
    if (threadIdx.x == 0)
      atomic_ref<std::uint32_t, scope::device>(*left_over)
          .fetch_max(rounds - round, memory_order::relaxed);
    return;
  }
  if (carries && results != digest) count(found.payload);
  const bool works = Form != barrier_form::overlapped || threadIdx.x >= 32;
  if (worked != (works ? rounds : 0)) count(found.work);
}

/// The litmus test of litmus.cuh after such a barrier. If the barrier orders only execution, the
/// test executes the fences.
template <class Barrier, barrier_form Form, bool Fenced>
__global__ void __maxnreg__(64)
    run_overlapped_litmus(Barrier barrier, litmus test, unsigned rounds, watchdog_ref watchdog) {
  assume_one_dimension<Barrier>();
  auto participant = join_alone(barrier, watchdog);
  for (std::uint32_t round = 1; round <= rounds; ++round) {
    test.store(round);
    if constexpr (Fenced) {
      __syncthreads();
      fence<memory_order::release, scope::device>();
    }
    if (!barrier_step<Form>::pass(participant, [] {})) break;
    if constexpr (Fenced) {
      fence<memory_order::acquire, scope::device>();
      __syncthreads();
    }
    test.load(round);
  }
  test.finish();
}

template <class Barrier, barrier_form Form>
class overlapped_experiment final : public grid_experiment {
  using ref_type = decltype(std::declval<const Barrier&>().ref());

 public:
  template <class... Plan>
  explicit overlapped_experiment(const run_config& config, const Plan&... plan)
      : grid_experiment(config, grid(config)), barrier_(shape(), plan...), mismatches_(2) {
    mismatches_.fill_bytes(0);
    if (config.reduction == reduction_kind::nothing) return;
    for (std::uint32_t round = 0; round < config.rounds; ++round)
      digest_ = digest_of(digest_, result_of(round));
  }

  void reset() override {
    grid_experiment::reset();
    barrier_.reset();
    mismatches_.fill_bytes(0);
  }

  void launch() override { start(run_overlapped<ref_type, Form>, barrier_.ref()); }

  bench::outcome verify() override {
    const bench::outcome ended = grid_experiment::verify();
    if (!ended.ok()) return ended;
    const std::vector<std::uint32_t> threads = mismatches_.to_host();
    const auto wrong = [](std::uint32_t number, const char* complaint) {
      return bench::outcome{bench::status::wrong, std::to_string(number) + " threads " + complaint};
    };
    if (threads[0] != 0) return wrong(threads[0], "found a wrong result of the reduction");
    if (threads[1] != 0) return wrong(threads[1], "did not run the work exactly once per round");
    return {};
  }

  bench::parameters effective_parameters() const override {
    bench::parameters effective = grid_experiment::effective_parameters();
    workload::add_parameter(effective, "work_cycles", config().work_cycles);
    effective["barrier_form"] = std::string(Form == barrier_form::split_phase  ? "split-phase"
                                            : Form == barrier_form::overlapped ? "overlapped"
                                                                               : "blocking");
    workload::add_parameter(effective, "orders_memory", orders_memory);
    add_plan_of(effective, barrier_);
    return effective;
  }

 private:
  static constexpr bool orders_memory = [] {
    if constexpr (requires { typename Barrier::fences; })
      return !std::is_same_v<typename Barrier::fences, no_fences>;
    else
      return true;
  }();

  static launch_shape grid(const run_config& config) {
    return workload::grid_for(config, reduction_bytes<ref_type>, run_overlapped<ref_type, Form>,
                              run_overlapped_litmus<ref_type, Form, !orders_memory>);
  }

  std::uint32_t result_of(std::uint32_t round) const {
    std::uint32_t result = config().reduction == reduction_kind::minimum ? ~std::uint32_t{0} : 0;
    for (unsigned block = 0; block < shape().blocks; ++block) {
      const std::uint32_t value = contribution_of(block, round);
      result = config().reduction == reduction_kind::sum ? result + value
               : config().reduction == reduction_kind::minimum
                   ? std::min(result, value)
                   : std::uint32_t{result != 0 || value != 0};
    }
    return result;
  }

  template <class Kernel, class BarrierRef>
  void start(Kernel* kernel, const BarrierRef& barrier) {
    launch_cooperative(kernel, shape(), barrier, config().work_cycles, config().rounds, digest_,
                       mismatches{mismatches_.device_data()[0], mismatches_.device_data()[1]},
                       left_over(), timeout());
  }
  void start_without_barrier() override {
    start(run_overlapped<no_overlapped_barrier, Form>, no_overlapped_barrier{});
  }
  void start_litmus(const litmus& test) override {
    launch_cooperative(run_overlapped_litmus<ref_type, Form, !orders_memory>, shape(),
                       barrier_.ref(), test, config().litmus.rounds, timeout());
  }

  Barrier barrier_;
  buffer<std::uint32_t> mismatches_;  ///< in the order of the struct
  std::uint32_t digest_ = 0;
};

/// The experiment for configurations that need more than rounds.cuh.
template <class Barrier, class... Plan>
std::unique_ptr<bench::experiment> overlapped_with(const run_config& config, const Plan&... plan) {
  using participant = typename decltype(std::declval<const Barrier&>().ref())::participant;
  if (config.local_exchange || config.words_per_thread != 0)
    throw bench::infeasible(
        "rounds with overlap have no loads and stores: use --ldst 0 --local-exchange no");
  switch (config.form) {
    case barrier_form::split_phase:
      if constexpr (supports_split_phase<participant>)
        return std::make_unique<overlapped_experiment<Barrier, barrier_form::split_phase>>(config,
                                                                                           plan...);
      throw bench::infeasible("no split phase: the arrival waits for other blocks");
    case barrier_form::overlapped:
      if (config.threads_per_block <= 32)
        throw bench::infeasible("an overlapped barrier needs two warps per block or more");
      if constexpr (supports_overlap<participant>)
        return std::make_unique<overlapped_experiment<Barrier, barrier_form::overlapped>>(config,
                                                                                          plan...);
      throw bench::infeasible("no overlap: all threads of a block take part in this barrier");
    default:
      return std::make_unique<overlapped_experiment<Barrier, barrier_form::blocking>>(config,
                                                                                      plan...);
  }
}

/// The experiment for a barrier constructed from the grid's shape: `Barrier` with its back-off, or
/// `WithoutBackoff` (void: no such variant).
template <class Barrier, class WithoutBackoff>
std::unique_ptr<bench::experiment> experiment_with(const run_config& config) {
  if (config.reduction != reduction_kind::nothing || config.execution_only)
    throw bench::infeasible("this barrier has no reduction and always orders memory");
  if (config.overlapped()) return overlapped_with<Barrier>(config);
  if constexpr (!std::is_void_v<WithoutBackoff>) {
    if (!config.backoff) return std::make_unique<barrier_experiment<WithoutBackoff>>(config);
  }
  return std::make_unique<barrier_experiment<Barrier>>(config);
}

}  // namespace finesync::barrier
