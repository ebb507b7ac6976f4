// Ranks with every barrier, over random schedules, with strong and weak memory, of small and odd
// graphs; and with broken barriers and decisions, which the verification must reject.
#include <inputs/graphs/build.hpp>
#include <workloads/pagerank/barrier_experiment.cuh>
#include <workloads/pagerank/barriers.hpp>

#include <tests/rejection.hpp>
#include <tests/suite/barrier_program/breakable_barrier.cuh>
#include <tests/suite/inputs/graphs/known_values.hpp>
#include <tests/suite/inputs/small_graphs.hpp>

#include <cmath>
#include <set>
#include <stdexcept>

namespace finesync::pagerank {
namespace {

/// Two blocks of two warps on each SM, and a few rounds.
run_config small(const test::small_graph& graph, float enough = 1e-2f) {
  return {.input = test::file_of(graph),
          .order = numbering::given,
          .threads_per_block = 64,
          .blocks_per_sm = 2,
          .enough = enough};
}

const workload::catalogue_entry<run_config>& named(std::string_view name) {
  for (const auto& each : all_barriers())
    if (each.name == name) return each;
  throw std::invalid_argument("no such primitive");
}

class ranks : public ::testing::TestWithParam<workload::catalogue_entry<run_config>> {
 protected:
  static void expect_right(const run_config& config, unsigned seed, simt::memory_kind memory) {
    simt::settings settings = simt::random_schedule(seed, memory);
    settings.gpu.sms = 2;  // enough for blocks to wait for each other
    const simt::scoped_settings scoped(settings);
    workload::expect_right_once(*GetParam().make(config), config.input, ", seed ", seed);
  }
};
INSTANTIATE_TEST_SUITE_P(, ranks, ::testing::ValuesIn(workload::runnable(all_barriers())),
                         workload::name_of_primitive);

TEST_P(ranks, of_a_run_before_are_no_result) {
  const auto one = GetParam().make(small(test::odd_graphs().front()));
  ASSERT_TRUE(workload::ending(*one).ok());
  one->reset();
  EXPECT_FALSE(one->verify().ok());
}

TEST_P(ranks, of_odd_graphs_are_right) {
  unsigned seed = 0;
  for (const test::small_graph& graph : test::odd_graphs())
    expect_right(small(graph), ++seed, simt::memory_kind::weak);
}

TEST_P(ranks, of_each_generated_graph_are_right) {
  for (unsigned number = 0; const std::string& input : inputs::graph_of_each_generator()) {
    if (!test::is_due(std::string_view(GetParam().name).size() + number++, 3)) continue;
    run_config config = small({"one", 1});
    config.input = input;
    expect_right(config, 1, simt::memory_kind::weak);
  }
}

TEST_P(ranks, are_right_on_any_schedule) {
  const run_config config = small(test::random_graph(60, 300, 20, 2), 1e-1f);
  for (unsigned seed = 0; seed < test::seed_budget(20); ++seed)
    expect_right(config, seed, seed % 2 == 0 ? simt::memory_kind::weak : simt::memory_kind::strong);
}

TEST_P(ranks, leave_nothing_to_the_next_run) {
  workload::expect_nothing_left(*GetParam().make(small(test::random_graph(60, 300, 20, 2), 1e-1f)),
                                {{" (1 x unsigned int)", "launch() begins at the first round"}});
}

// Rows of all classes: some 1,300 arcs to the hubs, 40 to others, 20 and 2.
test::small_graph of_all_classes() {
  test::small_graph made{"classes", 2700};
  for (std::uint32_t i = 0; i < made.vertices; ++i) {
    made.edges.push_back({i, i % 2, 1});
    made.edges.push_back({i, i / 2, 1});
    if (i < 400) made.edges.push_back({i, 10 + i / 40, 1});
    if (i < 400) made.edges.push_back({i, 100 + i / 20, 1});
  }
  return made;
}

TEST(ranks_of_rows, of_all_classes_are_right) {
  const simt::scoped_settings scoped(simt::random_schedule(1, simt::memory_kind::weak));
  for (const unsigned threads : {32u, 256u})
    for (const numbering order : {numbering::given, numbering::by_degree}) {
      run_config config = small(of_all_classes(), 1e-1f);
      config.threads_per_block = threads;
      config.order = order;
      EXPECT_TRUE(workload::ending(*named("autotuned").make(config)).ok());
    }
}

// Runs are verified with the graph that they rank, so that graph has its own test.
TEST(ranked_graphs, have_the_sources_of_each_vertex) {
  const test::small_graph drawn = of_all_classes();
  std::vector<std::uint32_t> arcs_from(drawn.vertices);
  std::vector<std::multiset<std::uint32_t>> sources(drawn.vertices);
  std::vector<inputs::edge> edges;
  for (const auto& [from, to, weight] : drawn.edges) {
    edges.push_back({from, to, weight});
    sources[to].insert(from);
    ++arcs_from[from];
  }
  const inputs::graph directed = inputs::directed_graph("it", drawn.vertices, edges);
  const ranked_graph given(directed, numbering::given);
  const graph_ref& found = given.ref();
  for (std::uint32_t i = 0; i < drawn.vertices; ++i) {
    const rank_row& row = found.rows[i];
    const std::uint32_t* const begin = found.sources + row.first;
    EXPECT_EQ(std::multiset<std::uint32_t>(begin, begin + row.arcs), sources[row.vertex]);
    EXPECT_EQ(row.inverse, 1.0f / static_cast<float>(std::max(arcs_from[row.vertex], 1u)));
    sources[row.vertex] = {drawn.vertices};  // seen
  }

  const ranked_graph by_degree(directed, numbering::by_degree);
  const rank_row* const rows = by_degree.ref().rows;
  for (std::uint32_t i = 1; i < drawn.vertices; ++i) {
    EXPECT_EQ(rows[i].vertex, i);
    EXPECT_LE(rows[i].arcs, rows[i - 1].arcs);
  }
}

/// What PageRank is where it can be told by hand.
TEST(ranks_of_graphs, end_after_the_rounds_that_they_need) {
  const auto rounds_of = [](const test::small_graph& graph, const char* primitive) {
    const auto made = named(primitive).make(small(graph, 1e-6f));
    workload::expect_right(*made);
    return made->computed().at("rounds");
  };
  for (const char* primitive : {"autotuned", "graph_relaunch"}) {
    EXPECT_EQ(rounds_of({"apart", 5}, primitive), 1);
    EXPECT_EQ(rounds_of({"chain", 4, {{0, 1, 1}, {1, 2, 1}, {2, 3, 1}}}, primitive), 4);
    // 0.15 * 0.85^74 is the first below 1e-6: the residuals stay equal.
    EXPECT_EQ(rounds_of({"cycle", 3, {{0, 1, 1}, {1, 2, 1}, {2, 0, 1}}}, primitive), 74);
  }
}

// All point to the first, which keeps what it gets: no residual is lost but by the damping, and a
// run may need each round that its bound allows. The limit is that of a round, or nearly so.
TEST(ranks_of_graphs, may_take_as_many_rounds_as_their_residuals_last) {
  test::small_graph hub{"hub-with-loop", 100};
  for (std::uint32_t i = 0; i < hub.vertices; ++i) hub.edges.push_back({i, 0, 1});
  for (unsigned rounds = 2; rounds < 40; rounds += test::daily_or_whole(5, 1))
    for (const double near : {0.99, 1.0, 1.01}) {
      const double enough = near * hub.vertices * 0.15 * std::pow(0.85, rounds);
      const auto made = named("graph_relaunch").make(small(hub, static_cast<float>(enough)));
      workload::expect_right_once(*made, rounds, " rounds, ", near);
    }
}

TEST(ranks_of_graphs, without_vertices_are_right) {
  workload::expect_right(*named("autotuned").make(small({"none", 0})));
}

TEST(ranks_of_graphs, of_a_long_path_are_right) {
  const simt::scoped_settings scoped(simt::random_schedule(2, simt::memory_kind::strong));
  workload::expect_right(*named("autotuned").make(small(test::path(10'000, 7), 5e-2f)));
}

TEST(ranks_of_blocks, of_incomplete_warps_are_refused) {
  run_config config = small(test::path(70, 4));
  config.threads_per_block = 48;
  for (const auto& each : workload::runnable(all_barriers()))
    EXPECT_THROW(each.make(config), bench::infeasible) << each.name;
}

TEST(ranks_of_ratings, are_right) {
  run_config config = small({"none", 0});
  config.input = "netflix-like/40000";
  workload::expect_right(*named("autotuned").make(config));
}

using test::breakable_barrier;
using test::flaw;
using test::is_rejected;

template <flaw Flaw>
bool rejected(simt::memory_kind memory = simt::memory_kind::strong) {
  return is_rejected<barrier_experiment<breakable_barrier<Flaw>>>(
      20, small(test::random_graph(80, 200, 20)), memory);
}

TEST(broken_ranks, unbroken_pass) {
  EXPECT_FALSE(rejected<flaw::none>());
  EXPECT_FALSE(rejected<flaw::none>(simt::memory_kind::weak));
}
TEST(broken_ranks, whose_rounds_start_early_are_rejected) {
  EXPECT_TRUE(rejected<flaw::never_waits>());
  EXPECT_TRUE(rejected<flaw::leaves_early>());
}
TEST(broken_ranks, of_stale_shares_are_rejected) {
  EXPECT_TRUE(rejected<flaw::no_release>(simt::memory_kind::weak));
  EXPECT_TRUE(rejected<flaw::no_acquire>(simt::memory_kind::weak));
}

/// When blocks ask whether another round follows, and about which.
enum class decision { sound, of_the_round_before, of_the_block_alone };

template <decision Decision, class Barrier>
__global__ void decide_badly(Barrier barrier, ranking_ref ranking, watchdog_ref watchdog) {
  auto& shared = shared_storage<block_memory>();
  auto participant = barrier.join(watchdog);
  put_first_ranks(ranking);
  if (!participant.wait()) return;
  for (unsigned round = 1; round <= ranking.most_rounds; ++round) {
    const bool more = rank_round(ranking, round).run(shared);
    vote(ranking, round, more);
    if (!participant.wait()) return;
    if (Decision == decision::sound && !goes_on(ranking, round)) break;
    if (Decision == decision::of_the_round_before && !goes_on(ranking, round - 1)) break;
    if (Decision == decision::of_the_block_alone && __syncthreads_or(more) == 0) break;
  }
}

__global__ void count_numbers(ranking_ref ranking, cell<std::uint32_t>* found) {
  for (std::uint32_t i = 0; i < 2 * ranking.graph.vertices; ++i)
    *found += (ranking.shares[i] >= 0.0f) + (ranking.ranks[i / 2] >= 0.0f);
}

template <decision Decision>
class deciding_experiment final : public ranking_experiment {
  using barrier_type = breakable_barrier<flaw::none>;

 public:
  explicit deciding_experiment(const run_config& config)
      : ranking_experiment(config, {.blocks = 4,
                                    .threads_per_block = config.threads_per_block,
                                    .shared_bytes = sizeof(block_memory)}),
        barrier_(shape()) {}

  void reset() override {
    ranking_experiment::reset();
    barrier_.reset();
  }
  void launch() override {
    launch_cooperative(decide_badly<Decision, typename barrier_type::ref_type>, shape(),
                       barrier_.ref(), ranking(), timeout());
  }
  /// Ranks and shares that are numbers.
  std::uint32_t numbers() const {
    auto found = buffer<std::uint32_t>::zeroed(1);
    launch_independent(count_numbers, {.blocks = 1, .threads_per_block = 1}, ranking(),
                       found.device_data());
    return found.to_host()[0];
  }

 private:
  barrier_type barrier_;
};

// A run that leaves a share out must not find that of the run before.
TEST(ranks_of_a_run, are_gone_after_a_reset) {
  deciding_experiment<decision::sound> ranks(small(test::random_graph(80, 200, 20)));
  EXPECT_TRUE(workload::ending(ranks).ok());
  EXPECT_NE(ranks.numbers(), 0u);
  ranks.reset();
  EXPECT_EQ(ranks.numbers(), 0u);
}

template <decision Decision>
bool decision_is_rejected() {
  return is_rejected<deciding_experiment<Decision>>(20, small(test::random_graph(80, 200, 20)));
}

TEST(broken_ranks, whose_end_is_decided_wrongly_are_rejected) {
  EXPECT_FALSE(decision_is_rejected<decision::sound>());
  EXPECT_TRUE(decision_is_rejected<decision::of_the_round_before>());
  EXPECT_TRUE(decision_is_rejected<decision::of_the_block_alone>());
}

}  // namespace
}  // namespace finesync::pagerank
