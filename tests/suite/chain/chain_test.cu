// The timed chain on the host executor, which has no cycles: its sums, its omissions, and the
// memory of its channels.
#include <finesync/dataflow/chained_barrier_channels.cuh>
#include <finesync/dataflow/early_wake_channels.cuh>
#include <workloads/chain/chain_experiment.cuh>
#include <workloads/chain/channels_makers.hpp>

#include <tests/library/dataflow/broken_channels.cuh>
#include <tests/library/harness/harness.hpp>
#include <tests/primitives.hpp>

namespace finesync::chain {
namespace {

class chains : public ::testing::TestWithParam<workload::catalogue_entry<run_config>> {
 protected:
  static void expect_right_sums(const run_config& config) {
    test::expect_right_in_any_memory(
        test::seed_budget(40), [&] { return workload::ending(*GetParam().make(config)).ok(); });
  }
};
INSTANTIATE_TEST_SUITE_P(, chains, ::testing::ValuesIn(workload::runnable(all_channels())),
                         workload::name_of_primitive);

TEST_P(chains, from_warp_to_warp_have_the_right_sums) {
  expect_right_sums({.warps = 5, .distance = 32, .rounds = 2});
}

TEST_P(chains, over_two_warps_have_the_right_sums_or_are_infeasible) {
  try {
    expect_right_sums({.warps = 6, .distance = 64, .rounds = 2});
  } catch (const bench::infeasible& why) {
    EXPECT_NE(std::string(why.what()).find("from each warp to the next"), std::string::npos);
  }
}

TEST_P(chains, through_lanes_have_the_right_sums_or_are_infeasible) {
  for (const unsigned distance : {1u, 5u, 33u}) {
    try {
      expect_right_sums({.warps = 2, .distance = distance, .rounds = 2});
    } catch (const bench::infeasible& why) {
      EXPECT_NE(std::string(why.what()).find("from warp to warp"), std::string::npos);
    }
  }
}

TEST_P(chains, of_one_warp_wait_for_nobody) {
  expect_right_sums({.warps = 1, .distance = 32, .rounds = 3});
  expect_right_sums({.warps = 2, .distance = 1024, .rounds = 3});
}

TEST_P(chains, leave_nothing_to_the_next_run) {
  workload::expect_nothing_left(*GetParam().make({.warps = 3, .distance = 32, .rounds = 2}));
}

TEST(chain, has_a_lap_of_every_thread_after_the_one_before) {
  const std::vector<lap> right = {{0, 2}, {1, 4}, {2, 2}, {4, 6}};  // two threads, two rounds
  EXPECT_EQ(laps_out_of_order(right, 2), 0u);
  for (const auto& [at, wrong] : std::vector<std::pair<unsigned, lap>>{
           {3, {3, 6}}, {2, {3, 2}}, {3, {~0ull, ~0ull}}, {0, {0, ~0ull}}}) {
    std::vector<lap> laps = right;
    laps[at] = wrong;
    EXPECT_GT(laps_out_of_order(laps, 2), 0u) << at;
  }
}

/// Shared memory that a scheme needs for 16 warps, in addition to the tokens (ICS'15, table 1).
long long sync_bytes(workload::make_experiment<run_config>* make) {
  return std::get<long long>(make({})->effective_parameters().at("sync_bytes"));
}

TEST(chain, needs_the_memory_of_table_1) {
  EXPECT_EQ(sync_bytes(make_spin), 2048);
  EXPECT_EQ(sync_bytes(make_warp_spin), 64);
  EXPECT_EQ(sync_bytes(make_warp_vote), 64);
  EXPECT_EQ(sync_bytes(make_mbarrier), 128);
  EXPECT_EQ(sync_bytes(make_named_barrier), 0);
  EXPECT_EQ(sync_bytes(make_full_empty), 0);
}

TEST(chain, says_how_many_barriers_it_takes) {
  EXPECT_EQ(
      std::get<long long>(make_named_barrier({})->effective_parameters().at("named_barriers")), 15);
  EXPECT_EQ(std::get<long long>(make_spin({})->effective_parameters().at("named_barriers")), 0);
  const auto experiment = make_named_barrier({.rounds = 3});
  EXPECT_TRUE(workload::ending(*experiment).ok());
  EXPECT_EQ(last_launch_counts()["named_barrier"], 3.0 * 15 * 64);
}

TEST(chain, that_reads_before_the_token_is_there_is_rejected) {
  chain_experiment<test::broken_channels> broken({.warps = 4, .rounds = 2});
  EXPECT_EQ(workload::ending(broken).what, bench::status::wrong);
}

/// The chain of more warps than there are named barriers.
template <class ChannelArray>
unsigned failing_long_chains(simt::memory_kind memory, unsigned warps, unsigned seeds,
                             test::races verdict) {
  return test::failing_twin_seeds(
      memory, seeds,
      [&] {
        simt::settings large = simt::current_settings();  // a block of 32 warps fits there
        large.gpu = simt::find_gpu_model("h200");
        const simt::scoped_settings scoped(large);
        chain_experiment<ChannelArray> chain({.warps = warps, .rounds = 2});
        return workload::ending(chain).ok();
      },
      verdict);
}

TEST(chained_barriers, are_enough_for_a_chain_of_any_length) {
  for (const unsigned warps : {2u, 6u, 7u, 11u, 12u, 16u, 17u, 24u, 27u, 32u}) {
    const unsigned seeds = test::seed_budget(20);
    for (const auto memory : {test::strong, test::weak})
      EXPECT_EQ(
          failing_long_chains<chained_barrier_channels>(memory, warps, seeds, test::races::fail),
          0u)
          << warps << " warps";
  }
}

TEST(chained_barriers, are_no_more_than_a_block_has) {
  EXPECT_EQ(chained_barrier_channels::barriers(32 * 1), 1u);
  EXPECT_EQ(chained_barrier_channels::barriers(32 * 10), 10u);
  EXPECT_EQ(chained_barrier_channels::barriers(32 * 11), 11u);
  EXPECT_EQ(chained_barrier_channels::barriers(32 * 31), 15u);
}

/// The same barriers used again without gates: readers of different laps meet.
class ungated_channels : public chained_barrier_channels {
 public:
  using chained_barrier_channels::chained_barrier_channels;
  named_barrier_channel<channel_use::once> channel_of(unsigned producer) const {
    return chained_barrier_channels::channel_of(producer);
  }
};

/// Each gate opens with the first token of the lap before last, not after its last one.
class early_gate_channel : public named_barrier_channel<channel_use::once> {
  using hop = named_barrier_channel<channel_use::once>;

 public:
  early_gate_channel(const chained_barrier_channel& right, unsigned producer)
      : hop(right), right_(right), warp_(producer / 32) {}
  void open_gate() {
    if (warp_ == 0) named_barrier_arrive(11, 6 * 32);
  }
  bool read(std::uint32_t& token, const watchdog_ref& watchdog) {
    return right_.read(token, watchdog);
  }

 private:
  chained_barrier_channel right_;
  unsigned warp_;
};

class early_gate_channels : public chained_barrier_channels {
 public:
  using chained_barrier_channels::chained_barrier_channels;
  early_gate_channel channel_of(unsigned producer) const {
    return {chained_barrier_channels::channel_of(producer), producer};
  }
};

TEST(chained_barriers, that_are_used_again_too_early_are_rejected) {
  constexpr auto pass = test::races::pass;
  EXPECT_GT(failing_long_chains<ungated_channels>(test::strong, 12, 20, pass), 0u);
  EXPECT_GT(failing_long_chains<ungated_channels>(test::strong, 32, 20, pass), 0u);
  EXPECT_GT(failing_long_chains<early_gate_channels>(test::strong, 16, 40, pass), 0u);
}

/// A token of the second round, and of no other, is lost on its way.
class slipping_channel : public full_empty_channel {
 public:
  explicit slipping_channel(const full_empty_channel& right) : full_empty_channel(right) {}
  void give(std::uint32_t token) {
    constexpr std::uint32_t of_thread_31 = first_value(1) + 31;
    full_empty_channel::give(token == of_thread_31 ? 0 : token);
  }
};
class slipping_channels : public full_empty_channels {
 public:
  using full_empty_channels::full_empty_channels;
  slipping_channel channel_of(unsigned producer) const {
    return slipping_channel(full_empty_channels::channel_of(producer));
  }
};

TEST(chain, that_goes_wrong_in_a_later_round_is_rejected) {
  chain_experiment<slipping_channels> once({.warps = 2, .rounds = 1});
  EXPECT_EQ(workload::ending(once).reason, "");
  chain_experiment<slipping_channels> twice({.warps = 2, .rounds = 2});
  EXPECT_EQ(workload::ending(twice).reason.substr(0, 10), "in round 1");
}

/// Early-wake channels in which no token ever arrives.
class silent_channel : public early_wake_channel {
 public:
  explicit silent_channel(const early_wake_channel& channel) : early_wake_channel(channel) {}
  void give(std::uint32_t) {}
  std::uint32_t give_if_token(std::uint32_t word, std::uint32_t) { return word; }
};

class silent_channels : public early_wake_channels {
 public:
  using early_wake_channels::early_wake_channels;
  silent_channel channel_of(unsigned producer) const {
    return silent_channel(early_wake_channels::channel_of(producer));
  }
};

TEST(chain, whose_token_never_comes_is_left_by_all) {
  constexpr run_config config{.warps = 6, .rounds = 2};
  constexpr unsigned threads = 32 * config.warps;
  buffer<std::uint32_t> sums(config.rounds * threads);
  buffer<lap> laps(sums.size());
  watchdog watchdog(1'000'000);
  launch_independent(time_chains<forwarding<silent_channels>>,
                     {.threads_per_block = threads,
                      .shared_bytes = silent_channels::bytes(threads + config.distance)},
                     config, sums.device_data(), laps.device_data(), watchdog.ref());
  EXPECT_TRUE(watchdog.fired());
}

TEST(chain, that_never_ran_is_rejected) {
  const auto experiment = make_spin({.warps = 2, .rounds = 2});
  ASSERT_TRUE(workload::ending(*experiment).ok());  // whose result must go
  experiment->reset();
  EXPECT_EQ(experiment->verify().what, bench::status::wrong);
}

TEST(chain, refuses_what_it_has_no_room_or_no_barriers_for) {
  EXPECT_THROW(make_spin({.rounds = max_rounds + 1}), bench::infeasible);
  EXPECT_THROW(make_spin({.rounds = 0}), bench::infeasible);
  EXPECT_NO_THROW(make_named_barrier({.warps = 16}));
  EXPECT_THROW(make_named_barrier({.warps = 17}), bench::infeasible);
}

}  // namespace
}  // namespace finesync::chain
