// Alignments with likely mistakes. The verification of the correct ones must reject each.
#include "small.hpp"

#include <finesync/dataflow/spin_channels.cuh>
#include <workloads/nw/tiles/tile_dataflow_experiment.cuh>
#include <workloads/nw/tiles/tile_experiment.cuh>

#include <tests/library/dataflow/broken_channels.cuh>
#include <tests/rejection.hpp>

namespace finesync::nw {
namespace {

constexpr unsigned side = 8;

using test::is_rejected;

template <class ChannelArray>
using shared_tile = shared_tokens<ChannelArray>::template of_tile<side>;
template <class ChannelArray>
using private_tile = private_tokens<ChannelArray>::template of_tile<side>;

/// Its readers take the token and do not restore it.
class kept_channel : public spin_channel {
 public:
  explicit kept_channel(const spin_channel& right) : spin_channel(right) {}
  bool try_read(std::uint32_t& token) { return try_take(token); }
};
class kept_channels : public spin_channels {
 public:
  using spin_channels::spin_channels;
  kept_channel channel_of(unsigned producer) const {
    return kept_channel(spin_channels::channel_of(producer));
  }
};

TEST(broken_tiles, that_read_before_full_are_rejected) {
  EXPECT_TRUE(
      is_rejected<tile_experiment<shared_tile<test::broken_channels>>>(5, small(9, 9, side)));
}

TEST(broken_tiles, whose_tokens_are_not_restored_are_rejected) {
  EXPECT_TRUE(is_rejected<tile_experiment<shared_tile<kept_channels>>>(5, small(4, 4, side)));
}

/// A tile's tokens remain when the next tile begins, so its scores come too early.
template <class Tokens>
class never_emptied : public Tokens {
 public:
  using Tokens::Tokens;
  void open() {}
};

/// A tile without waits, which runs ahead of its diagonal.
class broken_cell : public score_channel {
 public:
  using score_channel::score_channel;
  bool try_read(std::uint32_t& token) {
    score_channel::try_read(token);
    return true;
  }
};

/// Marks "none" by a pattern that is a score: that of a border cell.
class scored_poison : public score_channel {
 public:
  using score_channel::score_channel;
  bool try_read(std::uint32_t& token) {
    return score_channel::try_read(token) && static_cast<std::int32_t>(token) != -20;
  }
};

/// A cell that others read during its write, without being an atomic.
class plain_cell {
 public:
  explicit plain_cell(cell<std::int32_t>& score) : score_(score) {}
  void give(std::int32_t score) { score_ = score; }
  bool try_read(std::uint32_t& token) {
    token = static_cast<std::uint32_t>(std::int32_t{score_});
    return token != static_cast<std::uint32_t>(unwritten);
  }

 private:
  cell<std::int32_t>& score_;
};

struct never_emptied_flow : correct_flow<side> {
  using tokens = never_emptied<correct_flow<side>::tokens>;
};
struct broken_flow : correct_flow<side> {
  using channel = broken_cell;
};
struct poisoned_flow : correct_flow<side> {
  using channel = scored_poison;
};
struct plain_flow : correct_flow<side> {
  using channel = plain_cell;
};

TEST(broken_dataflow, that_gives_into_channels_that_are_not_empty_is_rejected) {
  EXPECT_TRUE(is_rejected<dataflow_experiment<never_emptied_flow>>(5, small(60, 60, side)));
}

TEST(broken_dataflow, whose_tiles_run_ahead_of_their_diagonal_is_rejected) {
  EXPECT_TRUE(is_rejected<dataflow_experiment<broken_flow>>(5, small(20, 20, side)));
}

TEST(broken_dataflow, whose_poison_is_a_score_is_rejected) {
  EXPECT_TRUE(is_rejected<dataflow_experiment<poisoned_flow>>(2, small(5, 5, side)));
}

TEST(broken_dataflow, whose_cells_are_no_atomics_is_a_race) {
  simt::settings config;
  config.check = simt::checking::races;
  const simt::scoped_settings scoped(config);
  dataflow_experiment<plain_flow> broken(small(20, 20, side));
  EXPECT_THROW(workload::ending(broken), race_error);
}

TEST(broken_alignments, unbroken_pass) {
  EXPECT_FALSE(is_rejected<tile_experiment<shared_tile<spin_channels>>>(5, small(9, 9, side)));
  EXPECT_FALSE(
      is_rejected<tile_experiment<private_tile<full_empty_channels>>>(5, small(9, 9, side)));
  EXPECT_FALSE(is_rejected<dataflow_experiment<correct_flow<side>>>(3, small(60, 60, side)));
}

}  // namespace
}  // namespace finesync::nw
