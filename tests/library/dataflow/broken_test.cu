// Broken channels. The checks of the correct ones must reject each.
#include "channel_kernels.cuh"

#include <finesync/dataflow/full_empty_channels.cuh>
#include <finesync/dataflow/named_barrier_channels.cuh>
#include <finesync/dataflow/spin_channels.cuh>
#include <finesync/dataflow/warp_vote_channels.cuh>
#include <finesync/device/warp.cuh>

#include <tests/library/harness/harness.hpp>

namespace finesync::test {
namespace {

/// An array whose channels are of another class, each made from a right one.
template <class Right, class Channel>
struct channels_with : Right {
  using Right::Right;
  Channel channel_of(unsigned producer) const { return Channel{Right::channel_of(producer)}; }
};

template <class Word>
using words = channels_with<full_empty_channels, Word>;

struct reads_before_full : full_empty_channel {
  bool try_take(std::uint32_t& token) {
    try_read(token);
    open();
    return true;
  }
};
struct gives_before_empty : full_empty_channel {
  bool is_empty() { return true; }
};
struct takes_twice : full_empty_channel {
  bool try_take(std::uint32_t& token) { return try_read(token); }
};
struct is_no_atomic : full_empty_channel {
  void give(std::uint32_t token) { word_ = token; }
  bool is_empty() { return word_ == empty; }
  bool try_take(std::uint32_t& token) {
    token = word_;
    if (token == empty) return false;
    word_ = empty;
    return true;
  }
};

template <class Lock>
struct locked : spin_channels {
  using spin_channels::spin_channels;
  basic_spin_channel<Lock> channel_of(unsigned producer) const {
    return {held_[producer], values_[producer]};
  }
};

using lock_without_acquire =
    finesync::detail::channel_lock<memory_order::relaxed, memory_order::release>;
using lock_without_release =
    finesync::detail::channel_lock<memory_order::acquire, memory_order::relaxed>;
struct takes_what_it_reads : finesync::detail::channel_lock<> {
  using channel_lock::channel_lock;
  void unlock(bool /*token_stays*/) const { channel_lock::unlock(false); }
};
/// The channel is already what the producer takes for empty while the consumer reads.
struct is_empty_before_read : finesync::detail::channel_lock<> {
  using channel_lock::channel_lock;
  bool try_lock() const {
    std::uint32_t expected = finesync::detail::no_thread;
    return held_.compare_exchange(expected, finesync::detail::producer, memory_order::acquire);
  }
  void unlock(bool token_stays) const {
    if (token_stays) channel_lock::unlock(true);
  }
};

/// A warp that votes as soon as it comes. \tparam HandsOn whether a lane that has acquired hands
/// that on to those that voted with it.
template <bool HandsOn>
struct votes_at_once : warp_vote_channel {
  using warp_vote_channel::warp_vote_channel;
  bool take(std::uint32_t& token, const watchdog_ref& watchdog) {
    bounded_wait wait(watchdog, awaited::token);
    bool full = false;
    do {
      full = full_.load(memory_order::acquire) == 1;
      if (wait.timed_out()) return false;
    } while (!warp_.any(full));
    if (HandsOn) warp_.sync();
    token = value_;
    return true;
  }
};
/// The first lane publishes before it has the values of the others.
struct gathers_nothing : votes_at_once<true> {
  using votes_at_once::votes_at_once;
  void give(std::uint32_t token) {
    value_ = token;
    if (lane_id() == 0) full_.store(1, memory_order::release);
  }
};
template <class Flag>
using flags = finesync::detail::word_per_warp_channels<Flag>;

struct arrives_before_its_value : named_barrier_channel<channel_use::once> {
  void give(std::uint32_t token) {
    named_barrier_arrive(full_, 2 * 32);
    value_ = token;
  }
};
using early_arrivals = channels_with<named_barrier_channels<>, arrives_before_its_value>;

unsigned failing(simt::memory_kind memory, const experiment<bool>& right,
                 races verdict = races::pass) {
  return failing_twin_seeds(memory, verdict == races::fail ? 20 : 200, right, verdict);
}

template <class ChannelArray>
unsigned failing_pipes(simt::memory_kind memory, races verdict = races::pass, unsigned step = 32,
                       unsigned tokens = 4) {
  return failing(
      memory,
      [&] {
        return pipes<ChannelArray>(
            {.users = 2 * step, .step = step, .tokens = tokens, .watchdog_ns = soon_ns});
      },
      verdict);
}

template <class ChannelArray>
unsigned failing_shares(simt::memory_kind memory) {
  return failing(memory, [] {
    return shares<ChannelArray>({.users = 6, .step = 2, .tokens = 2, .watchdog_ns = soon_ns});
  });
}

TEST(broken_channels, a_consumer_that_reads_before_full_is_rejected) {
  EXPECT_GT(failing_pipes<words<reads_before_full>>(strong), 0u);
}

TEST(broken_channels, a_producer_that_overwrites_before_empty_is_rejected) {
  EXPECT_GT(failing_pipes<words<gives_before_empty>>(strong), 0u);
}

TEST(broken_channels, a_token_that_is_taken_twice_is_rejected) {
  EXPECT_GT(failing_pipes<words<takes_twice>>(strong), 0u);
}

TEST(broken_channels, a_token_not_restored_is_rejected) {
  EXPECT_GT(failing_shares<locked<takes_what_it_reads>>(strong), 0u);
}

TEST(broken_channels, a_channel_that_is_empty_before_it_was_read_is_rejected) {
  EXPECT_GT(failing_pipes<locked<is_empty_before_read>>(strong, races::fail, 1), 0u);
}

TEST(broken_channels, a_word_that_is_no_atomic_is_a_race) {
  EXPECT_GT(failing_pipes<words<is_no_atomic>>(strong, races::fail, 1), 0u);
}

TEST(broken_channels, a_lock_without_its_orders_is_rejected) {
  EXPECT_GT(failing_pipes<locked<lock_without_release>>(weak), 0u);
  EXPECT_GT(failing_pipes<locked<lock_without_release>>(strong, races::fail, 1), 0u);
  EXPECT_GT(failing_pipes<locked<lock_without_acquire>>(strong, races::fail, 1), 0u);
}

TEST(broken_channels, values_of_lanes_that_nobody_gathers_are_rejected) {
  EXPECT_GT(failing_pipes<flags<gathers_nothing>>(weak, races::pass, 32, 1), 0u);
}

TEST(broken_channels, what_one_lane_alone_has_acquired_is_a_race_of_the_others) {
  EXPECT_GT(failing_pipes<flags<votes_at_once<false>>>(strong, races::fail, 32, 1), 0u);
}

TEST(broken_channels, a_value_behind_its_arrival_is_rejected) {
  EXPECT_GT(failing_pipes<early_arrivals>(strong, races::pass, 32, 1), 0u);
  EXPECT_GT(failing_pipes<early_arrivals>(strong, races::fail, 32, 1), 0u);
}

TEST(broken_channels, the_same_unbroken_pass) {
  for (const auto memory : {strong, weak}) {
    EXPECT_EQ(failing_pipes<full_empty_channels>(memory, races::fail), 0u);
    EXPECT_EQ(failing_pipes<spin_channels>(memory, races::fail), 0u);
    EXPECT_EQ(failing_shares<spin_channels>(memory), 0u);
    EXPECT_EQ(failing_pipes<flags<votes_at_once<true>>>(memory, races::fail, 32, 1), 0u);
    EXPECT_EQ(failing_pipes<named_barrier_channels<>>(memory, races::fail, 32, 1), 0u);
  }
}

}  // namespace
}  // namespace finesync::test
