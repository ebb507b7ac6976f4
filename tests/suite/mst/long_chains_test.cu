// The steps along chains, counted by the executor: few for each label, however long its chain is.
// The likely mistake is to walk to the end of every chain, which takes as many steps as it is long.
#include "small.hpp"

#include <finesync/barriers/autotuned_barrier.cuh>
#include <finesync/device/backoff.cuh>
#include <finesync/device/shared_storage.cuh>
#include <finesync/host/launch.cuh>
#include <finesync/host/watchdog.cuh>
#include <finesync/locks/tas_lock.cuh>
#include <finesync/locks/ticket_lock.cuh>
#include <simt/launch.hpp>
#include <workloads/mst/edges/block_reservation.cuh>
#include <workloads/mst/lonestar/lock_experiment.cuh>
#include <workloads/mst/minima.hpp>
#include <workloads/mst/minimum_experiment.cuh>
#include <workloads/mst/phases/rounds.cuh>

#include <tests/rejection.hpp>

#include <cmath>
#include <cstdint>

namespace finesync::mst::long_chains_test {
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

// Places that a block reserves in two lists: each thread's are its own, and none is left out.

constexpr launch_shape blocks_of_two_warps{
    .blocks = 3, .threads_per_block = 64, .shared_bytes = sizeof(block_reservation)};
constexpr unsigned rounds = 3;

__host__ __device__ constexpr unsigned wanted_in_first(unsigned thread, unsigned round) {
  return (thread + round) % 3;
}
__host__ __device__ constexpr unsigned wanted_in_second(unsigned thread, unsigned round) {
  return (thread + 2 * round) % 5;
}

/// Every thread writes its number to all its places; the lengths are words 0 and 1.
__global__ void fill_lists(cell<std::uint32_t>* lengths, cell<std::uint32_t>* first,
                           cell<std::uint32_t>* second) {
  auto& reservation = shared_storage<block_reservation>();
  const unsigned me = blockIdx.x * blockDim.x + threadIdx.x;
  for (unsigned round = 0; round < rounds; ++round) {
    const unsigned in_first = wanted_in_first(me, round);
    const unsigned in_second = wanted_in_second(me, round);
    const auto mine = reservation.reserve(in_first, lengths[0], in_second, lengths[1]);
    for (unsigned i = 0; i < in_first; ++i) first[mine.first + i] = me;
    for (unsigned i = 0; i < in_second; ++i) second[mine.second + i] = me;
  }
}

/// The places of all threads, in order of the threads.
template <class Wanted>
std::vector<std::uint32_t> list_of(Wanted wanted) {
  std::vector<std::uint32_t> all;
  const unsigned threads = blocks_of_two_warps.blocks * blocks_of_two_warps.threads_per_block;
  for (unsigned thread = 0; thread < threads; ++thread)
    for (unsigned round = 0; round < rounds; ++round)
      all.insert(all.end(), wanted(thread, round), thread);
  return all;
}

TEST(block_reservation, gives_each_thread_its_own_places_in_both_lists) {
  const auto first_right = list_of(wanted_in_first);
  const auto second_right = list_of(wanted_in_second);
  for (unsigned seed = 0; seed < 20; ++seed) {
    const simt::scoped_settings scoped(simt::random_schedule(seed, simt::memory_kind::weak));
    auto lengths = buffer<std::uint32_t>::zeroed(2);
    buffer<std::uint32_t> first(first_right.size());
    buffer<std::uint32_t> second(second_right.size());
    launch_cooperative(fill_lists, blocks_of_two_warps, lengths.device_data(), first.device_data(),
                       second.device_data());
    ASSERT_EQ(lengths.to_host(), (std::vector{static_cast<std::uint32_t>(first_right.size()),
                                              static_cast<std::uint32_t>(second_right.size())}));
    auto in_first = first.to_host();
    auto in_second = second.to_host();
    std::ranges::sort(in_first);
    std::ranges::sort(in_second);
    ASSERT_EQ(in_first, first_right) << seed;
    ASSERT_EQ(in_second, second_right) << seed;
  }
}

// LonestarGPU's algorithm: as many locks as published, and broken parts of it.

using test::is_rejected;

using published_lock = ticket_lock<scope::device, no_backoff>;
using as_published = lonestar_lock_experiment<published_lock>;

/// Acquisitions of a run, by its counters.
long acquisitions(bench::experiment& made) {
  made.reset();
  made.launch();
  EXPECT_TRUE(made.verify().ok());
  return std::lround(made.measure().at("lock_acquisitions_per_operation") * made.operations());
}

TEST(lonestar, takes_a_lock_for_each_vertex_with_an_edge_out_in_each_level) {
  const simt::scoped_settings scoped(simt::random_schedule(1, simt::memory_kind::weak));
  // All join in the first level.
  as_published in_one(small(star(90, 1000)));
  EXPECT_EQ(acquisitions(in_one), 90);
  // Pairs 0-1, 2-3, 4-5, 6-7 join first. Then each of the eight vertices but the two ends has an
  // edge to another pair, and all pairs join in order.
  small_graph pairs{"pairs", 8};
  for (std::uint32_t i = 1; i < 8; ++i) pairs.edges.push_back({i - 1, i, i % 2 == 1 ? 1 : 10 + i});
  as_published in_two(small(pairs));
  EXPECT_EQ(acquisitions(in_two), 8 + 6);
  // Servers run the same sections.
  for (const auto& each : workload::runnable(all_minima())) {
    if (std::string_view(each.name) == "server_per_vertex_printed") {
      EXPECT_EQ(acquisitions(*each.make(small(pairs))), 8 + 6);
    }
  }
}

TEST(lonestar, keeps_an_edge_of_weight_0) {
  // 0-2 and 1-3 join first. Then two vertices propose an edge of weight 0, and two one of weight 9.
  const small_graph free{"free", 4, {{0, 2, 0}, {1, 3, 0}, {2, 3, 0}, {0, 1, 9}}};
  for (unsigned seed = 0; seed < 20; ++seed) {
    const simt::scoped_settings scoped(simt::random_schedule(seed, simt::memory_kind::weak));
    as_published made(small(free));
    EXPECT_EQ(workload::ending(made).reason, "");
  }
}

/// Every thread enters at once.
class open_lock : public published_lock {
 public:
  using published_lock::published_lock;
  bool try_enter(acquisition&) { return true; }
  void leave(acquisition&) {}
};
/// Lets the next thread in without a release.
class unordered_lock : public tas_lock<scope::device> {
 public:
  using tas_lock::tas_lock;
  void leave(acquisition&) { this->held_.store(0, memory_order::relaxed); }
};

run_config contended() {
  return small(random_graph(40, 150, 50, 2));
}

TEST(lonestar, rejects_a_lock_that_lets_everybody_in) {
  EXPECT_TRUE(is_rejected<lonestar_lock_experiment<open_lock>>(20, contended()));
}
TEST(lonestar, rejects_a_lock_without_release) {
  EXPECT_TRUE(is_rejected<lonestar_lock_experiment<unordered_lock>>(100, contended(),
                                                                    simt::memory_kind::weak));
}
TEST(lonestar, is_right_as_published) {
  EXPECT_FALSE(is_rejected<as_published>(20, contended()));
}

}  // namespace
}  // namespace finesync::mst::long_chains_test
