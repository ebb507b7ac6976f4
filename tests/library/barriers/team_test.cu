// Teams of blocks: small ones and large ones, many at once, and blocks in two teams each; broken
// twins; members that do not agree; a member that stays away.
#include "exchange.hpp"

#include <finesync/barriers/team_barrier.cuh>

namespace finesync::test::team_test {
namespace {

const unsigned seeds = seed_budget(60);  // for each memory mode

/// One team of all blocks, as a grid barrier.
template <class Fences>
class whole_grid {
 public:
  struct ref_type {
    typename basic_team_barrier<Fences>::ref_type teams;
    __device__ auto join(const watchdog_ref& watchdog) const {
      return teams.join({.team = 1, .rank = blockIdx.x, .members = gridDim.x}, watchdog);
    }
  };
  explicit whole_grid(const launch_shape&) : teams_(2) {}
  void reset() { teams_.reset(); }
  ref_type ref() const { return {teams_.ref()}; }

 private:
  basic_team_barrier<Fences> teams_;
};

/// A grid as a matrix of blocks.
struct matrix {
  unsigned rows;
  unsigned columns;
  unsigned threads_per_block;
  unsigned blocks() const { return rows * columns; }
};

/// In even rounds the rows are teams, in odd ones the columns. Every thread writes a word, passes
/// its team's barrier, and reads the word of each other member. Four sets of words in turn: a team
/// of the same kind has met in between.
template <class TeamsRef>
__global__ void cross(TeamsRef teams, matrix grid, cell<std::uint32_t>* words,
                      cell<std::uint32_t>* wrong, unsigned first_round, unsigned rounds,
                      watchdog_ref watchdog) {
  const unsigned row = blockIdx.x / grid.columns;
  const unsigned column = blockIdx.x % grid.columns;
  auto along_row = teams.join({.team = row, .rank = column, .members = grid.columns}, watchdog);
  auto along_column =
      teams.join({.team = grid.rows + column, .rank = row, .members = grid.rows}, watchdog);
  const auto word = [&](unsigned round, unsigned block) -> cell<std::uint32_t>& {
    return words[((round % 4) * gridDim.x + block) * blockDim.x + threadIdx.x];
  };
  for (unsigned round = first_round; round < first_round + rounds; ++round) {
    const bool by_row = round % 2 == 0;
    word(round, blockIdx.x) = round + 1;
    if (!(by_row ? along_row.wait() : along_column.wait())) return;
    const unsigned members = by_row ? grid.columns : grid.rows;
    for (unsigned other = 0; other < members; ++other) {
      const unsigned block = by_row ? row * grid.columns + other : other * grid.columns + column;
      if (word(round, block) != round + 1)
        atomic_ref<std::uint32_t, scope::device>(*wrong).fetch_add(1, memory_order::relaxed);
    }
  }
}

template <class Fences = counter_fences>
exchange_outcome run_crossing(const matrix& grid) {
  constexpr unsigned rounds = 8;  // each word is read again, by then perhaps from the L1
  const basic_team_barrier<Fences> teams(grid.rows + grid.columns);
  auto words = zeroed(4 * grid.blocks() * grid.threads_per_block);
  auto wrong = zeroed(1);
  const bool ended = all_end(2, [&](unsigned launch, const watchdog_ref& watchdog) {
    launch_cooperative(cross<typename basic_team_barrier<Fences>::ref_type>,
                       {.blocks = grid.blocks(), .threads_per_block = grid.threads_per_block},
                       teams.ref(), grid, words.device_data(), wrong.device_data(), launch * rounds,
                       rounds, watchdog);
  });
  return {ended, wrong.to_host()[0] == 0};
}

/// Teams of one and of a few, of more than a block has lanes, and of more than have words.
constexpr matrix some_grids[] = {{3, 2, 33}, {1, 18, 4},  {4, 4, 1},
                                 {2, 3, 2},  {18, 1, 32}, {1, 1, 5}};

matrix some_grid() {
  return some_grids[simt::current_settings().seed % std::size(some_grids)];
}

TEST(team_barrier, rows_and_columns_hand_everything_over) {
  expect_right_in_any_memory(seeds, [] { return run_crossing(some_grid()).right(); });
}

TEST(team_barrier, a_team_may_be_the_whole_grid) {
  constexpr exchange_config plans[] = {
      {}, {.blocks = 18, .threads_per_block = 20}, {.blocks = 9, .threads_per_block = 2}};
  for (const exchange_config& config : plans)
    expect_right_in_any_memory(
        seeds / 3 + 1, [&] { return run_exchange<whole_grid<counter_fences>>(config).right(); });
}

struct without_release : counter_fences {
  __device__ static void release() {}
};
struct without_acquire : counter_fences {
  __device__ static void acquire() {}
};

template <class Fences>
unsigned failing_twin(const matrix& grid) {
  return failing_twin_seeds(weak, 100, [&] { return run_crossing<Fences>(grid).right(); });
}

TEST(broken_team_barrier, arrival_without_release_is_rejected) {
  EXPECT_GT(failing_twin<without_release>({2, 3, 8}), 0u);
  EXPECT_GT(failing_twin<without_release>({1, 18, 4}), 0u);
}

TEST(broken_team_barrier, departure_without_acquire_is_rejected) {
  EXPECT_GT(failing_twin<without_acquire>({2, 3, 8}), 0u);
  EXPECT_GT(failing_twin<without_acquire>({1, 18, 4}), 0u);
}

template <class TeamsRef>
__global__ void pass_as(TeamsRef teams, team_place odd_block, unsigned members,
                        cell<std::uint32_t>* passed, watchdog_ref watchdog) {
  const bool odd = blockIdx.x == gridDim.x - 1;
  auto team = teams.join(odd ? odd_block : team_place{7, blockIdx.x, members}, watchdog);
  if (team.wait() && threadIdx.x == 0) passed[blockIdx.x] = 1u;
}

/// Blocks that pass, if the last one of `blocks` joins as it says, the others as members of team 7.
unsigned passing(const team_place& last_block, unsigned blocks, unsigned members,
                 std::optional<wait_report>* told = nullptr) {
  const team_barrier teams(8);
  auto passed = zeroed(blocks);
  const watchdog timeout(1'000'000);
  launch_cooperative(pass_as<team_barrier::ref_type>, {.blocks = blocks, .threads_per_block = 32},
                     teams.ref(), last_block, members, passed.device_data(), timeout.ref());
  stream().synchronize();
  if (told != nullptr) *told = timeout.report();
  const auto all = passed.to_host();
  return static_cast<unsigned>(std::count(all.begin(), all.end(), 1u));
}

TEST(team_barrier, members_that_do_not_agree_end_the_kernel) {
  EXPECT_EQ(passing({7, 3, 4}, 4, 4), 4u);
  for (const unsigned members : {3u, 5u, 20u}) {
    const std::string problem = refusal_of<std::exception>([&] { passing({7, 2, members}, 4, 4); });
    EXPECT_NE(problem.find("do not agree how many"), std::string::npos) << problem;
  }
}

TEST(team_barrier, a_rank_beyond_the_members_is_an_error) {
  EXPECT_THROW(passing({7, 4, 4}, 4, 4), std::exception);
}

TEST(team_barrier, whose_member_stays_away_is_named) {
  std::optional<wait_report> told;
  EXPECT_EQ(passing({1, 0, 1}, 4, 4, &told), 1u);
  ASSERT_TRUE(told.has_value());
  EXPECT_EQ(told->what, awaited::blocks);
  EXPECT_EQ(told->which, 7u);
  for (const late_wait& each : told->all.waits) EXPECT_LT(each.seen, each.wanted);
}

/// Each block of one side is in a team of two, whose other member tells only this side.
__global__ void meet_on_side(l2_lines_ref lines, unsigned side, cell<std::uint32_t>* passed,
                             watchdog_ref watchdog) {
  using word = atomic_ref<std::uint32_t, scope::device>;
  if (lines.side() != side) return;
  auto team = team_barrier::ref_type(lines).join({blockIdx.x, 0, 2}, watchdog);
  if (threadIdx.x == 0) word((&lines.line(side, blockIdx.x))[1]).store(1, memory_order::relaxed);
  if (team.wait() && threadIdx.x == 0) word(*passed).fetch_add(1, memory_order::relaxed);
}

TEST(team_barrier, is_polled_on_the_own_side) {
  for (const unsigned side : {0u, 1u}) {
    const l2_lines lines(16);
    const auto passed = zeroed(1);
    const bool ended = ends(watchdog(1'000'000), meet_on_side,
                            {.blocks = 16, .threads_per_block = 32}, lines, side, passed);
    EXPECT_GT(passed.to_host()[0], 0u);
    EXPECT_TRUE(ended);
  }
}

/// A block of another team does not hold this one up, and does not stand in for a member.
TEST(team_barrier, waits_for_its_own_members_only) {
  EXPECT_EQ(passing({1, 0, 1}, 4, 3), 4u);
}

}  // namespace
}  // namespace finesync::test::team_test
