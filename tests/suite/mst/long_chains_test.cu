// The steps along chains, counted by the executor: few for each label, however long its chain is.
// The likely mistake is to walk to the end of every chain, which takes as many steps as it is long.
#include "small.hpp"

#include <finesync/barriers/autotuned_barrier.cuh>
#include <finesync/host/watchdog.cuh>
#include <simt/launch.hpp>
#include <simt/settings.hpp>
#include <workloads/mst/minimum_experiment.cuh>
#include <workloads/mst/phases/rounds.cuh>

#include <gtest/gtest.h>
#include <tests/primitives.hpp>

#include <cstdint>
#include <vector>

namespace finesync::mst {
namespace {

constexpr launch_shape shape{.blocks = 2, .threads_per_block = 128};

struct chains_ref {
  cell<std::uint32_t>* chains;
  cell<std::uint32_t>* labels;
  std::uint32_t number;
  cell<std::uint32_t>* unsettled;
};

struct passes {
  template <class Participant>
  __device__ void operator()(const chains_ref& of, Participant& participant) const {
    const unsettled_pass unsettled(*of.unsettled);
    const std::uint32_t threads = gridDim.x * blockDim.x;
    bool goes_on = false;
    for (std::uint32_t i = blockIdx.x * blockDim.x + threadIdx.x; i < of.number; i += 2 * threads)
      goes_on = settle<2>(of.chains, of.labels, i, threads, of.number) || goes_on;
    if (goes_on) unsettled.report(1);
    if (participant.wait()) settle_long_chains(of.labels, of.number, unsettled, participant);
  }
};

/// Every thread follows its chains to the end.
struct whole_walks {
  template <class Participant>
  __device__ void operator()(const chains_ref& of, Participant&) const {
    for (std::uint32_t i = blockIdx.x * blockDim.x + threadIdx.x; i < of.number;
         i += gridDim.x * blockDim.x)
      of.labels[i] = end_of_chain(of.chains, i);
  }
};

template <class Walk>
__global__ void settle_all(chains_ref of, autotuned_barrier::ref_type barrier,
                           watchdog_ref watchdog) {
  auto participant = barrier.join(watchdog);
  Walk()(of, participant);
}

/// Operations per label for one chain through all labels, which must be settled. \param stride
/// each label's distance to the next along the chain; odd, for a power of two of labels.
template <class Walk>
double operations_per_label(std::uint32_t number, std::uint32_t stride) {
  simt::settings settings;
  settings.gpu.sms = 2;
  const simt::scoped_settings scoped(settings);
  constexpr std::uint32_t end = settled | 7;
  std::vector<std::uint32_t> next(number);
  for (std::uint32_t i = 0, at = 0; i < number; ++i, at = (at + stride) % number)
    next[at] = i + 1 == number ? end : (at + stride) % number;
  buffer<std::uint32_t> chains(number), labels(number), unsettled(1);
  chains.copy_from(next);
  unsettled.fill_bytes(0);
  autotuned_barrier barrier(shape);
  watchdog dog;
  dog.reset();
  launch_cooperative(
      settle_all<Walk>, shape,
      chains_ref{chains.device_data(), labels.device_data(), number, unsettled.device_data()},
      barrier.ref(), dog.ref());
  stream().synchronize();
  std::vector<std::uint32_t> found(number);
  labels.copy_to(found);
  EXPECT_EQ(found, std::vector<std::uint32_t>(number, end));
  return double(simt::last_launch().counts.total()) / number;
}

/// The bound of relabel.cuh, with some spare operations per pass: for the label itself and the
/// barrier.
double bound(std::uint32_t number) {
  double operations = first_steps + 4;
  for (std::uint64_t along = first_steps; along < number; along *= later_steps)
    operations += later_steps + 4;
  return operations;
}

TEST(long_chains, take_few_steps) {
  for (const std::uint32_t number : {1u << 10, 1u << 12, test::daily_or_whole(1u << 14, 1u << 16)})
    for (const std::uint32_t stride : {1u, number - 1, 25'001u})
      EXPECT_LE(operations_per_label<passes>(number, stride), bound(number)) << number;
}
TEST(long_chains, take_many_steps_if_each_walk_goes_to_the_end) {
  EXPECT_GT(operations_per_label<whole_walks>(1u << 12, 1), 10 * bound(1u << 12));
}

/// All operations of the last launch, which has the rounds, per vertex.
double operations_per_vertex(const std::string& input, std::uint32_t vertices) {
  simt::settings settings;
  settings.gpu.sms = 2;
  const simt::scoped_settings scoped(settings);
  minimum_experiment<atomic_min> experiment(
      {.problem = {.input = input + "/" + std::to_string(vertices)}, .light_percent = all_light});
  EXPECT_TRUE(workload::ending(experiment).ok());
  return double(simt::last_launch().counts.total()) / vertices;
}

TEST(rounds, over_long_chains_take_few_operations) {
  for (const char* input : {"path-pairs", "cliques"})
    EXPECT_LE(operations_per_vertex(input, 1u << 14), 1.2 * operations_per_vertex(input, 1u << 11))
        << input;
}

}  // namespace
}  // namespace finesync::mst
