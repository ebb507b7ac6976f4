// Single instructions on the host executor, which has no cycles: what they do, and that their
// verification rejects those that do less.
#include "instruction_settings.hpp"

#include <finesync/host/gpu.cuh>
#include <finesync/host/machine.cuh>
#include <workloads/instructions/instructions_makers.hpp>
#include <workloads/instructions/of_blocks.cuh>
#include <workloads/instructions/of_warps.cuh>
#include <workloads/instructions/of_words.cuh>
#include <workloads/instructions/taken_times.hpp>

#include <tests/primitives.hpp>
#include <tests/suite/verifiers/allocations.hpp>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <map>
#include <string>
#include <vector>

namespace finesync::instructions {
namespace {

constexpr unsigned rounds = 1;
constexpr unsigned executions = in_a_row * (1 + rounds);

/// How often all of them can run.
template <class ForAll>
unsigned right_ones(workload::make_experiment<run_config>* make, ForAll for_all) {
  unsigned ran = 0;
  for_all(rounds, [&](const run_config& config) {
    try {
      const auto experiment = make(config);
      const simt::scoped_settings scoped(simt::random_schedule(ran, simt::memory_kind::weak));
      workload::expect_right_once(*experiment, "form ", ran);
      ++ran;
    } catch (const bench::infeasible&) {
    } catch (const launch_error&) {  // so much shared memory no block has
    }
  });
  return ran;
}

constexpr auto every_form = [](unsigned number, auto see) { for_all_forms(number, see); };
constexpr auto every_layout = [](unsigned number, auto see) { for_all_layouts(number, see); };

TEST(single_instructions, are_right_in_every_form) {
  // Twice, by measure: spaces and scopes times orders of 32 bits, then 64 bits, no result, both.
  const std::map<std::string, unsigned> forms{
      {"add", 2 * (6 * 4 + 2 + 3 + 2)}, {"add_by_warp", 2 * (3 + 2 + 3 + 2)},
      {"min", 2 * (3 + 2 + 3 + 2)},     {"max", 2 * (3 + 2 + 3 + 2)},
      {"bit_and", 2 * (3 + 2 + 3 + 2)}, {"bit_or", 2 * (3 + 2 + 3 + 2)},
      {"bit_xor", 2 * (3 + 2 + 3 + 2)}, {"exchange", 2 * (6 * 4 + 2)},
      {"cas", 2 * (6 * 4 + 2)},         {"failing_cas", 2 * (3 + 2)},
      {"load", 2 * (6 * 2 + 3 + 2)},    {"poll", 2 * (6 * 2 + 2)},
      {"store", 2 * (6 * 2 + 3 + 2)}};
  for (const auto& each : all_instructions()) {
    const auto known = forms.find(each.name);
    if (known == forms.end()) continue;
    EXPECT_EQ(right_ones(each.make, every_form), known->second) << each.name;
  }
}

TEST(single_instructions, are_right_in_every_layout) {
  for (const auto& each : all_instructions())
    EXPECT_GT(right_ones(each.make, every_layout), 0u) << each.name;
}

/// All operations of the last launch whose counts begin so.
double counted(const char* kind) {
  double all = 0;
  for (const auto& [name, count] : last_launch_counts())
    if (name.rfind(kind, 0) == 0) all += count;
  return all;
}

TEST(single_instructions, run_as_often_as_is_said) {
  const run_config config{.what = measure::throughput, .threads_per_block = 64, .rounds = rounds};
  const double threads = 64.0 * current_gpu().sms;
  const auto count = [&](workload::make_experiment<run_config>* make, const char* kind) {
    const auto experiment = make(config);
    EXPECT_TRUE(workload::ending(*experiment).ok());
    return counted(kind);
  };
  EXPECT_EQ(count(make_add, "rmw_device_global"), threads * executions);
  EXPECT_EQ(count(make_add_by_warp, "rmw_device_global"), threads / 32 * executions);
  EXPECT_EQ(count(make_ballot, "warp_collective"), threads * executions);
  EXPECT_EQ(count(make_arrive_and_sync, "named_barrier"), threads * 2 * (executions + 1));
}

/// Leaves one execution out.
template <class Instruction>
struct forgetful : Instruction {
  using Instruction::Instruction;
  __device__ auto step(std::uint32_t link, unsigned index) const {
    using result = decltype(Instruction::step(link, index));
    return index == executions - 1 ? result{} : Instruction::step(link, index);
  }
};

template <class Instruction>
bench::outcome ending_of(run_config config) {
  config.rounds = rounds;
  return workload::ending(*experiment_with<Instruction>(config));
}

template <class Instruction>
void expect_forgetting_is_rejected() {
  for (const measure what : {measure::latency, measure::throughput}) {
    EXPECT_TRUE(ending_of<Instruction>({.what = what}).ok()) << name_of<Instruction>();
    EXPECT_FALSE(ending_of<forgetful<Instruction>>({.what = what}).ok()) << name_of<Instruction>();
  }
}

template <modification Kind, bool Used>
using in_global =
    modifies<Kind, std::uint32_t, state_space::global, scope::device, order::relaxed, Used>;

template <modification... Kinds>
void expect_forgotten_modifications_are_rejected() {
  (expect_forgetting_is_rejected<in_global<Kinds, true>>(), ...);
  (expect_forgetting_is_rejected<in_global<Kinds, false>>(), ...);
}

TEST(single_instructions, of_which_one_is_left_out_are_rejected) {
  using enum modification;
  expect_forgotten_modifications_are_rejected<add, min, max, bit_and, bit_or, bit_xor>();
  expect_forgetting_is_rejected<in_global<exchange, true>>();
  expect_forgetting_is_rejected<
      compares<true, std::uint64_t, state_space::global, scope::device, order::relaxed>>();
  expect_forgetting_is_rejected<
      loads<std::uint32_t, state_space::shared, scope::block, order::plain>>();
  expect_forgetting_is_rejected<
      polls<std::uint32_t, state_space::global, scope::device, order::acquire>>();
  expect_forgetting_is_rejected<
      stores<std::uint32_t, state_space::shared, scope::block, order::release>>();
  expect_forgetting_is_rejected<
      adds_by_warp<std::uint32_t, state_space::global, scope::device, order::relaxed>>();
}

template <class... Declared>
void expect_forgotten_warps_are_rejected() {
  (expect_forgetting_is_rejected<of_warp<Declared>>(), ...);
}

TEST(single_instructions, of_a_warp_of_which_one_is_left_out_are_rejected) {
  expect_forgotten_warps_are_rejected<ballots, votes_any, shuffles, shuffles_up, shuffles_xor,
                                      matches_any, matches_all, sums, maxima, syncs_warp>();
}

/// Its threads do not wait.
template <class Barrier>
struct open_barrier : Barrier {
  using Barrier::Barrier;
  __device__ unsigned step(std::uint32_t link, unsigned index) const { return link | index; }
};

template <class Barrier>
bool is_rejected_on_a_schedule() {
  for (unsigned seed = 0; seed < 20; ++seed) {
    const simt::scoped_settings scoped(simt::random_schedule(seed, simt::memory_kind::weak));
    if (!ending_of<Barrier>({.threads_per_block = 64}).ok()) return true;
  }
  return false;
}

template <class Barrier>
class barriers_of_blocks : public testing::Test {};
using all_barriers = testing::Types<syncs_block, syncs_named, syncs_pair, arrives_and_syncs,
                                    syncs_cluster, arrives_at_mbarrier>;
TYPED_TEST_SUITE(barriers_of_blocks, all_barriers);

TYPED_TEST(barriers_of_blocks, that_do_not_wait_are_rejected) {
  EXPECT_TRUE(is_rejected_on_a_schedule<open_barrier<TypeParam>>());
  EXPECT_FALSE(is_rejected_on_a_schedule<TypeParam>());
}

TEST(single_instructions, that_never_ran_are_rejected) {
  for (workload::make_experiment<run_config>* make : {make_add, make_shuffle, make_syncthreads}) {
    const auto experiment = make({.rounds = rounds});
    ASSERT_TRUE(workload::ending(*experiment).ok());  // whose result must go
    experiment->reset();
    EXPECT_FALSE(experiment->verify().ok());
  }
}

TEST(single_instructions, of_which_a_part_is_not_told_are_rejected) {
  for (const measure what : {measure::latency, measure::throughput}) {
    const auto experiment = make_add({.what = what, .rounds = rounds});
    ASSERT_TRUE(workload::ending(*experiment).ok());
    unsigned noticed = 0;
    for (const test::allocation& each : test::allocations()) {
      const std::vector<std::byte> told(each.begin, each.begin + each.bytes);
      std::memset(each.begin, 0xff, each.bytes);
      noticed += experiment->verify().ok() ? 0 : 1;
      std::copy(told.begin(), told.end(), each.begin);
    }
    EXPECT_EQ(noticed, 4u);  // words, sums, the times of this measure, and the watchdog
  }
}

TEST(spans_of_blocks, are_told_and_begin_before_they_end) {
  constexpr std::uint64_t untold = ~std::uint64_t{0};
  EXPECT_EQ(fault_of_spans({7, 1, 2, 8, 5, 9}, true), "");
  EXPECT_EQ(fault_of_spans({7, 2, 2, 8, 5, 5}, false), "");
  for (const auto& wrong : {std::vector<std::uint64_t>{7, 2, 2, 8, 5, 9}, {7, 1, 2, 8, 9, 5}})
    EXPECT_NE(fault_of_spans(wrong, true), "");
  for (const auto& wrong : {std::vector<std::uint64_t>{untold, 1, 2}, {7, untold, 2}})
    EXPECT_NE(fault_of_spans(wrong, false), "");
}

TEST(single_instructions, say_what_they_are_not_made_for) {
  const auto make = [](workload::make_experiment<run_config>* of, const run_config& config) {
    return [of, config] { of(config); };
  };
  EXPECT_THROW(make(make_add, {.bits = 48})(), bench::infeasible);
  EXPECT_THROW(make(make_add, {.bits = 64, .stride = 4})(), bench::infeasible);
  EXPECT_THROW(make(make_add, {.ordered = order::plain})(), bench::infeasible);
  EXPECT_THROW(make(make_exchange, {.result_unused = true})(), bench::infeasible);
  EXPECT_THROW(make(make_store, {.ordered = order::plain, .stride = 0})(), bench::infeasible);
  EXPECT_THROW(make(make_add, {.scope = reach::block, .stride = 0})(), bench::infeasible);
  EXPECT_THROW(make(make_ballot, {.threads_per_block = 33})(), bench::infeasible);
  EXPECT_THROW(make(make_syncthreads, {.threads_per_block = 33})(), bench::infeasible);
  EXPECT_THROW(make(make_arrive_and_sync, {.threads_per_block = 512})(), bench::infeasible);
  EXPECT_THROW(make(make_pair_barrier, {.threads_per_block = 96})(), bench::infeasible);
}

TEST(single_instructions, name_the_kernel_that_runs) {
  const auto kernel = [](const run_config& config) {
    return std::get<std::string>(make_add(config)->effective_parameters().at("kernel"));
  };
  EXPECT_EQ(kernel({}).rfind("time_chain<", 0), 0u) << kernel({});
  EXPECT_EQ(kernel({.what = measure::throughput}).rfind("run_many<", 0), 0u);
}

}  // namespace
}  // namespace finesync::instructions
