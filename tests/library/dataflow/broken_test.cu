// Broken channels. The checks of the correct ones must reject each.
#include "channel_kernels.cuh"

#include <finesync/dataflow/channel_lock.cuh>
#include <finesync/device/atomic_ref.cuh>
#include <finesync/device/cell.cuh>
#include <finesync/device/ptx/named_barrier.cuh>
#include <finesync/device/warp.cuh>

#include <gtest/gtest.h>
#include <tests/library/locks/exploration.hpp>

namespace finesync::test {
namespace {

/// The steps of a full/empty word; all true is correct.
struct word_habits {
  bool waits_for_full = true;
  bool waits_for_empty = true;
  bool empties = true;
  bool is_atomic = true;
};

template <word_habits Habits>
class word_variant {
 public:
  static constexpr bool orders_memory = false;

  class channel {
   public:
    explicit channel(cell<std::uint32_t>& word) : word_(word) {}
    void open() { store(empty); }
    void close() {}
    void give(std::uint32_t token) { store(token); }
    bool is_empty() { return !Habits.waits_for_empty || load() == empty; }
    bool try_read(std::uint32_t& token) {
      token = load();
      return !Habits.waits_for_full || token != empty;
    }
    bool try_take(std::uint32_t& token) {
      if (!try_read(token)) return false;
      if (Habits.empties) store(empty);
      return true;
    }

   private:
    using ref = atomic_ref<std::uint32_t, scope::block>;
    static constexpr std::uint32_t empty = 0x80000000u;
    std::uint32_t load() {
      return Habits.is_atomic ? ref(word_).load(memory_order::relaxed) : std::uint32_t{word_};
    }
    void store(std::uint32_t value) {
      if (Habits.is_atomic) {
        ref(word_).store(value, memory_order::relaxed);
      } else {
        word_ = value;
      }
    }
    cell<std::uint32_t>& word_;
  };

  word_variant(unsigned char* memory, unsigned)
      : words_(reinterpret_cast<cell<std::uint32_t>*>(memory)) {}
  channel channel_of(unsigned producer) const { return channel(words_[producer]); }

 private:
  cell<std::uint32_t>* words_;
};

/// The steps of a channel under a lock; all true is correct.
struct lock_habits {
  bool restores = true;               ///< the token, if it is to stay
  bool gives_back_after_read = true;  ///< not before it has read the value
  bool acquires = true;
  bool releases = true;
};

template <lock_habits Habits>
class lock_variant {
 public:
  static constexpr bool orders_memory = true;

  class channel {
   public:
    channel(cell<std::uint32_t>& held, cell<std::uint32_t>& value) : held_(held), value_(value) {}
    void open() { held_.store(1, memory_order::relaxed); }
    void close() {}
    void give(std::uint32_t token) {
      value_ = token;
      let_go(0);
    }
    bool is_empty() { return held_.load(acquire) == 1; }
    bool try_take(std::uint32_t& token) { return get(token, 1); }
    bool try_read(std::uint32_t& token) { return get(token, Habits.restores ? 0 : 1); }

   private:
    static constexpr auto acquire = Habits.acquires ? memory_order::acquire : memory_order::relaxed;
    static constexpr auto release = Habits.releases ? memory_order::release : memory_order::relaxed;
    void let_go(std::uint32_t to) { held_.exchange(to, release); }
    bool get(std::uint32_t& token, std::uint32_t afterwards) {
      std::uint32_t expected = 0;
      // Held by the consumer, or in the broken variant already what the producer takes for empty.
      if (!held_.compare_exchange(expected, Habits.gives_back_after_read ? 2 : 1, acquire))
        return false;
      token = value_;
      if (Habits.gives_back_after_read || afterwards == 0) let_go(afterwards);
      return true;
    }
    atomic_ref<std::uint32_t, scope::block> held_;
    cell<std::uint32_t>& value_;
  };

  lock_variant(unsigned char* memory, unsigned threads)
      : values_(reinterpret_cast<cell<std::uint32_t>*>(memory)), held_(values_ + threads) {}
  channel channel_of(unsigned producer) const { return {held_[producer], values_[producer]}; }

 private:
  cell<std::uint32_t>* values_;
  cell<std::uint32_t>* held_;
};

/// A word of a warp, given by its first lane; all true is correct.
struct warp_habits {
  bool gathers = true;              ///< the lanes' values, before the first lane publishes them
  bool hands_on = true;             ///< what one lane has acquired, to the lanes that voted with it
  bool arrives_after_value = true;  ///< for a named barrier
};

template <warp_habits Habits>
class flag_variant {
 public:
  static constexpr bool orders_memory = true;

  class channel {
   public:
    channel(cell<std::uint32_t>& full, cell<std::uint32_t>& value) : full_(full), value_(value) {}
    void open() {
      if (lane_id() == 0) full_.store(0, memory_order::relaxed);
    }
    void close() {}
    void give(std::uint32_t token) {
      value_ = token;
      if (Habits.gathers) __syncwarp();
      if (lane_id() == 0) full_.store(1, memory_order::release);
    }
    bool read(std::uint32_t& token, const watchdog_ref& watchdog) {
      bounded_wait wait(watchdog, awaited::token);
      bool full = false;
      do {
        full = full_.load(memory_order::acquire) == 1;
        if (wait.timed_out()) return false;
      } while (!__any_sync(~0u, full));
      if (Habits.hands_on) __syncwarp();
      token = value_;
      return true;
    }
    bool take(std::uint32_t& token, const watchdog_ref& watchdog) { return read(token, watchdog); }
    bool wait_until_empty(const watchdog_ref&) { return true; }

   private:
    atomic_ref<std::uint32_t, scope::block> full_;
    cell<std::uint32_t>& value_;
  };

  flag_variant(unsigned char* memory, unsigned threads)
      : values_(reinterpret_cast<cell<std::uint32_t>*>(memory)), full_(values_ + threads) {}
  channel channel_of(unsigned producer) const { return {full_[producer / 32], values_[producer]}; }

 private:
  cell<std::uint32_t>* values_;
  cell<std::uint32_t>* full_;
};

template <warp_habits Habits>
class barrier_variant {
 public:
  static constexpr bool orders_memory = true;

  class channel {
   public:
    channel(unsigned number, cell<std::uint32_t>& value) : number_(number), value_(value) {}
    void open() {}
    void close() {}
    void give(std::uint32_t token) {
      if (Habits.arrives_after_value) value_ = token;
      named_barrier_arrive(number_, 64);
      if (!Habits.arrives_after_value) value_ = token;
    }
    bool read(std::uint32_t& token, const watchdog_ref&) {
      named_barrier_sync(number_, 64);
      token = value_;
      return true;
    }
    bool take(std::uint32_t& token, const watchdog_ref& watchdog) { return read(token, watchdog); }
    bool wait_until_empty(const watchdog_ref&) { return true; }

   private:
    unsigned number_;
    cell<std::uint32_t>& value_;
  };

  barrier_variant(unsigned char* memory, unsigned)
      : values_(reinterpret_cast<cell<std::uint32_t>*>(memory)) {}
  channel channel_of(unsigned producer) const { return {1 + producer / 32, values_[producer]}; }

 private:
  cell<std::uint32_t>* values_;
};

constexpr unsigned seeds = 200;
constexpr std::uint64_t soon =
    1'000'000;  // nominal ns: for broken variants that leave others waiting

template <class Check>
unsigned failing(simt::memory_kind memory, Check right, races verdict = races::pass) {
  return failing_twin_seeds(memory, verdict == races::fail ? 20 : seeds, right, verdict);
}

template <class ChannelArray>
unsigned failing_pipes(simt::memory_kind memory, races verdict = races::pass, unsigned step = 32,
                       unsigned tokens = 4) {
  return failing(
      memory,
      [&] {
        return pipes<ChannelArray>(
            {.users = 2 * step, .step = step, .tokens = tokens, .watchdog_ns = soon});
      },
      verdict);
}

template <class ChannelArray>
unsigned failing_shares(simt::memory_kind memory) {
  return failing(memory, [] {
    return shares<ChannelArray>({.users = 6, .step = 2, .tokens = 2, .watchdog_ns = soon});
  });
}

constexpr auto strong = simt::memory_kind::strong;
constexpr auto weak = simt::memory_kind::weak;

TEST(broken_channels, a_consumer_that_reads_before_full_is_rejected) {
  EXPECT_GT(failing_pipes<word_variant<{.waits_for_full = false}>>(strong), 0u);
}

TEST(broken_channels, a_producer_that_overwrites_before_empty_is_rejected) {
  EXPECT_GT(failing_pipes<word_variant<{.waits_for_empty = false}>>(strong), 0u);
}

TEST(broken_channels, a_token_that_is_taken_twice_is_rejected) {
  EXPECT_GT(failing_pipes<word_variant<{.empties = false}>>(strong), 0u);
}

TEST(broken_channels, a_token_not_restored_is_rejected) {
  EXPECT_GT(failing_shares<lock_variant<{.restores = false}>>(strong), 0u);
}

TEST(broken_channels, a_channel_that_is_empty_before_it_was_read_is_rejected) {
  using variant = lock_variant<{.gives_back_after_read = false}>;
  EXPECT_GT(failing_pipes<variant>(strong, races::fail, 1), 0u);
}

TEST(broken_channels, a_word_that_is_no_atomic_is_a_race) {
  EXPECT_GT((failing_pipes<word_variant<{.is_atomic = false}>>(strong, races::fail, 1)), 0u);
}

TEST(broken_channels, a_lock_without_its_orders_is_rejected) {
  EXPECT_GT(failing_pipes<lock_variant<{.releases = false}>>(weak), 0u);
  EXPECT_GT(failing_pipes<lock_variant<{.releases = false}>>(strong, races::fail, 1), 0u);
  EXPECT_GT(failing_pipes<lock_variant<{.acquires = false}>>(strong, races::fail, 1), 0u);
}

TEST(broken_channels, values_of_lanes_that_nobody_gathers_are_rejected) {
  EXPECT_GT(failing_pipes<flag_variant<{.gathers = false}>>(weak, races::pass, 32, 1), 0u);
}

TEST(broken_channels, what_one_lane_alone_has_acquired_is_a_race_of_the_others) {
  EXPECT_GT(failing_pipes<flag_variant<{.hands_on = false}>>(strong, races::fail, 32, 1), 0u);
}

TEST(broken_channels, a_value_behind_its_arrival_is_rejected) {
  using variant = barrier_variant<{.arrives_after_value = false}>;
  EXPECT_GT(failing_pipes<variant>(strong, races::pass, 32, 1), 0u);
  EXPECT_GT(failing_pipes<variant>(strong, races::fail, 32, 1), 0u);
}

TEST(broken_channels, the_same_unbroken_pass) {
  for (const auto memory : {strong, weak}) {
    EXPECT_EQ(failing_pipes<word_variant<{}>>(memory, races::fail), 0u);
    EXPECT_EQ(failing_pipes<lock_variant<{}>>(memory, races::fail), 0u);
    EXPECT_EQ(failing_shares<lock_variant<{}>>(memory), 0u);
    EXPECT_EQ(failing_pipes<flag_variant<{}>>(memory, races::fail, 32, 1), 0u);
    EXPECT_EQ(failing_pipes<barrier_variant<{}>>(memory, races::fail, 32, 1), 0u);
  }
}

}  // namespace
}  // namespace finesync::test
