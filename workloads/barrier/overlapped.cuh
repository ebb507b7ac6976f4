// Rounds whose barrier is in two parts, or fuzzy, or carries something: with work that overlaps.
#pragma once

#include "barrier_experiment.cuh"

#include <finesync/barriers/counter_participant.cuh>
#include <finesync/barriers/overlap.cuh>
#include <finesync/barriers/reduction.cuh>
#include <finesync/device/fence.cuh>
#include <finesync/device/ptx/sleep.cuh>
#include <workloads/common/outcomes.hpp>

#include <cstdint>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace finesync::barrier {

/// What the blocks of a round bring, and what comes of it.
__host__ __device__ inline std::uint32_t brought_by(unsigned block, std::uint32_t round) {
  return round % 3 == 2 ? 0 : (block + round) & 7;
}
__host__ __device__ inline std::uint32_t digest_of(std::uint32_t digest, std::uint32_t result) {
  return digest * 31 + result;
}

/// How a round passes the barrier, with `work` beside it as far as it goes.
template <shape_of_barrier Form>
struct passage {
  template <class Member, class Work>
  __device__ static bool pass(Member& member, Work work) {
    if constexpr (Form == shape_of_barrier::fuzzy) {
      return member.overlap(work);
    } else if constexpr (Form == shape_of_barrier::split) {
      const arrival mine = member.arrive();
      work();
      return member.wait(mine);
    } else {
      work();
      return member.wait();
    }
  }
};

/// No barrier: for the time of the work alone, by as many threads.
struct no_overlapped_barrier {
  struct participant {
    template <class Work>
    __device__ bool overlap(Work work) {
      if (threadIdx.x >= 32) work();
      return true;
    }
    __device__ arrival arrive() { return {}; }
    __device__ bool wait(arrival) { return true; }
    __device__ bool wait() { return true; }
  };
  __device__ participant join(const watchdog_ref&) const { return {}; }
};

/// Threads that have found what they should not.
struct faults {
  cell<std::uint32_t>& payload;  ///< other results than all have brought
  cell<std::uint32_t>& work;     ///< other work than that of each round, once
};

/// \param digest of the results that threads must find.
template <class Barrier, shape_of_barrier Form>
__global__ void __maxnreg__(64)
    run_overlapped(Barrier barrier, unsigned work_cycles, unsigned rounds, std::uint32_t digest,
                   faults found, cell<std::uint32_t>* left_over, watchdog_ref watchdog) {
  const auto count = [](cell<std::uint32_t>& threads) {
    atomic_ref<std::uint32_t, scope::device>(threads).fetch_add(1, memory_order::relaxed);
  };
  auto member = join_alone(barrier, watchdog);
  constexpr bool carries = carries_payload<decltype(member)>;
  std::uint32_t round = 0;
  std::uint32_t results = 0;
  std::uint32_t worked = 0;
  for (; round < rounds; ++round) {
    if constexpr (carries) member.bring(brought_by(blockIdx.x, round));
    const auto work = [&] {
      pause_cycles(work_cycles);
      ++worked;
    };
    if (!passage<Form>::pass(member, work)) break;
    if constexpr (carries) results = digest_of(results, member.combined());
  }
  if (round < rounds) {
    if (threadIdx.x == 0)
      atomic_ref<std::uint32_t, scope::device>(*left_over)
          .fetch_max(rounds - round, memory_order::relaxed);
    return;
  }
  if (carries && results != digest) count(found.payload);
  const bool works = Form != shape_of_barrier::fuzzy || threadIdx.x >= 32;
  if (worked != (works ? rounds : 0)) count(found.work);
}

/// The litmus test of litmus.cuh behind such a barrier. Where it orders execution alone, the test
/// brings the fences.
template <class Barrier, shape_of_barrier Form, bool Fenced>
__global__ void __maxnreg__(64)
    run_overlapped_litmus(Barrier barrier, litmus test, unsigned rounds, watchdog_ref watchdog) {
  auto member = join_alone(barrier, watchdog);
  for (std::uint32_t round = 1; round <= rounds; ++round) {
    test.store(round);
    if constexpr (Fenced) {
      __syncthreads();
      fence<memory_order::release, scope::device>();
    }
    if (!passage<Form>::pass(member, [] {})) break;
    if constexpr (Fenced) {
      fence<memory_order::acquire, scope::device>();
      __syncthreads();
    }
    test.load(round);
  }
  test.finish();
}

template <class Barrier, shape_of_barrier Form>
class overlapped_experiment final : public grid_experiment {
  using handle = decltype(std::declval<const Barrier&>().ref());

 public:
  template <class... Plan>
  explicit overlapped_experiment(const setup& how, const Plan&... plan)
      : grid_experiment(how, grid(how)), barrier_(shape(), plan...), faults_(2) {
    faults_.fill_bytes(0);
    if (how.payload == carried::nothing) return;
    for (std::uint32_t round = 0; round < how.rounds; ++round)
      digest_ = digest_of(digest_, result_of(round));
  }

  void reset() override {
    grid_experiment::reset();
    barrier_.reset();
    faults_.fill_bytes(0);
  }

  void launch() override { start(run_overlapped<handle, Form>, barrier_.ref()); }

  bench::outcome verify() override {
    const bench::outcome ended = grid_experiment::verify();
    if (!ended.ok()) return ended;
    const std::vector<std::uint32_t> threads = faults_.to_host();
    const auto wrong = [](std::uint32_t number, const char* how) {
      return bench::outcome{bench::status::wrong, std::to_string(number) + " threads " + how};
    };
    if (threads[0] != 0) return wrong(threads[0], "found another payload than all have brought");
    if (threads[1] != 0) return wrong(threads[1], "did other work than that of each round, once");
    return {};
  }

  bench::facts ran() const override {
    bench::facts ran = grid_experiment::ran();
    workload::add_fact(ran, "work_cycles", how().work_cycles);
    ran["form"] = std::string(Form == shape_of_barrier::split   ? "split"
                              : Form == shape_of_barrier::fuzzy ? "fuzzy"
                                                                : "whole");
    workload::add_fact(ran, "orders_memory", orders_memory);
    if constexpr (requires { barrier_.plan(); }) add_plan(ran, barrier_.plan());
    return ran;
  }

 private:
  static constexpr bool orders_memory = [] {
    if constexpr (requires { typename Barrier::fences; })
      return !std::is_same_v<typename Barrier::fences, no_fences>;
    else
      return true;
  }();

  static launch_shape grid(const setup& how) {
    return workload::grid_for(how, payload_bytes<handle>, run_overlapped<handle, Form>,
                              run_overlapped_litmus<handle, Form, !orders_memory>);
  }

  std::uint32_t result_of(std::uint32_t round) const {
    std::uint32_t result = how().payload == carried::minimum ? ~std::uint32_t{0} : 0;
    for (unsigned block = 0; block < shape().blocks; ++block) {
      const std::uint32_t value = brought_by(block, round);
      result = how().payload == carried::sum       ? result + value
               : how().payload == carried::minimum ? std::min(result, value)
                                                   : std::uint32_t{result != 0 || value != 0};
    }
    return result;
  }

  template <class Kernel, class Handle>
  void start(Kernel* kernel, const Handle& barrier) {
    launch_cooperative(kernel, shape(), barrier, how().work_cycles, how().rounds, digest_,
                       faults{faults_.cells()[0], faults_.cells()[1]}, left_over(), timeout());
  }
  void start_without_barrier() override {
    start(run_overlapped<no_overlapped_barrier, Form>, no_overlapped_barrier{});
  }
  void start_litmus(const litmus& test) override {
    launch_cooperative(run_overlapped_litmus<handle, Form, !orders_memory>, shape(), barrier_.ref(),
                       test, how().litmus.rounds, timeout());
  }

  Barrier barrier_;
  buffer<std::uint32_t> faults_;  ///< as the struct has them
  std::uint32_t digest_ = 0;
};

/// The experiment of a setup that asks for more than rounds.cuh has.
template <class Barrier, class... Plan>
std::unique_ptr<bench::experiment> overlapped_with(const setup& how, const Plan&... plan) {
  using member = typename decltype(std::declval<const Barrier&>().ref())::participant;
  if (how.local_exchange || how.words_per_thread != 0)
    throw bench::infeasible("rounds that overlap have no loads and stores to check");
  switch (how.form) {
    case shape_of_barrier::split:
      if constexpr (splits<member>)
        return std::make_unique<overlapped_experiment<Barrier, shape_of_barrier::split>>(how,
                                                                                         plan...);
      throw bench::infeasible("its arrival waits for other blocks");
    case shape_of_barrier::fuzzy:
      if (how.threads_per_block <= 32)
        throw bench::infeasible("a block of one warp has none to work beside the barrier");
      if constexpr (overlaps<member>)
        return std::make_unique<overlapped_experiment<Barrier, shape_of_barrier::fuzzy>>(how,
                                                                                         plan...);
      throw bench::infeasible("all threads of a block take part in it");
    default:
      return std::make_unique<overlapped_experiment<Barrier, shape_of_barrier::whole>>(how,
                                                                                       plan...);
  }
}

/// The experiment with a barrier made from the grid's shape alone, with a back-off that suits it or
/// without; void: it has no choice.
template <class Barrier, class WithoutBackoff>
std::unique_ptr<bench::experiment> experiment_with(const setup& how) {
  if (how.payload != carried::nothing || how.execution_only)
    throw bench::infeasible("it carries no payload, and orders memory always");
  if (how.overlapped()) return overlapped_with<Barrier>(how);
  if constexpr (!std::is_void_v<WithoutBackoff>) {
    if (!how.backoff) return std::make_unique<barrier_experiment<WithoutBackoff>>(how);
  }
  return std::make_unique<barrier_experiment<Barrier>>(how);
}

}  // namespace finesync::barrier
