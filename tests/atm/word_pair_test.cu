// Words that are their own locks: right over random schedules, and wrong in the ways that one might
// have written it.
#include <finesync/device/launch.cuh>
#include <finesync/locks/word_pair.cuh>
#include <simt/report.hpp>
#include <simt/settings.hpp>

#include <gtest/gtest.h>
#include <tests/seed_budget.hpp>

#include <numeric>
#include <vector>

namespace finesync::test {
namespace {

constexpr std::uint32_t busy = ~std::uint32_t{0};
constexpr unsigned words = 4;
constexpr unsigned rounds = 3;
constexpr launch_shape grid{.blocks = 3, .threads_per_block = 34};

template <unsigned TriesTogether>
using right_pair =
    word_pair<std::uint32_t, busy, scope::device, random_backoff<32, 256>, TriesTogether>;

/// Works on values that it has only read.
struct takes_nothing {
  takes_nothing(cell<std::uint32_t>& one, cell<std::uint32_t>& other) : one_(one), other_(other) {}
  template <class Section>
  bool update(Section&& section, const watchdog_ref&) {
    std::uint32_t value = one_.load(memory_order::relaxed);
    std::uint32_t other = other_.load(memory_order::relaxed);
    section(value, other);
    one_.store(value, memory_order::relaxed);
    other_.store(other, memory_order::relaxed);
    return true;
  }
  atomic_ref<std::uint32_t, scope::device> one_;
  atomic_ref<std::uint32_t, scope::device> other_;
};

/// Waits for the second with the first in its hands, in the order of the call.
struct holds_on : takes_nothing {
  using takes_nothing::takes_nothing;
  template <class Section>
  bool update(Section&& section, const watchdog_ref& watchdog) {
    std::uint32_t value = busy;
    std::uint32_t other = busy;
    bounded_wait wait(watchdog);
    while (value == busy || other == busy) {
      if (value == busy) value = one_.exchange(busy, memory_order::relaxed);
      if (value != busy) other = other_.exchange(busy, memory_order::relaxed);
      if (wait.timed_out()) return false;
    }
    section(value, other);
    one_.store(value, memory_order::relaxed);
    other_.store(other, memory_order::relaxed);
    return true;
  }
};

/// Takes the second by its value alone, and lets it lie.
struct leaves_one : takes_nothing {
  using takes_nothing::takes_nothing;
  template <class Section>
  bool update(Section&& section, const watchdog_ref& watchdog) {
    bounded_wait wait(watchdog);
    while (true) {
      std::uint32_t value = one_.exchange(busy, memory_order::relaxed);
      std::uint32_t other = other_.load(memory_order::relaxed);
      const bool got = value != busy && other != busy;
      if (got) section(value, other);
      if (value != busy) one_.store(value, memory_order::relaxed);
      if (got) other_.store(other, memory_order::relaxed);
      if (got) return true;
      if (wait.timed_out()) return false;
    }
  }
};

template <class Pair>
__global__ void pass_on(cell<std::uint32_t>* values, watchdog_ref watchdog) {
  const unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
  for (unsigned i = 0; i < rounds; ++i) {
    const unsigned from = (thread + i) % words;
    const unsigned to = (from + 1 + thread % (words - 1)) % words;
    const auto section = [](std::uint32_t& giver, std::uint32_t& taker) {
      giver += 1;  // counts
      taker += 1u << 16;
    };
    if (!Pair(values[from], values[to]).update(section, watchdog)) return;
  }
}

template <class Pair>
bool counts_all() {
  buffer<std::uint32_t> values(words);
  values.fill_bytes(0);
  const watchdog timeout;
  launch_cooperative(pass_on<Pair>, grid, values.cells(), timeout.ref());
  const auto seen = values.to_host();
  const unsigned all = grid.blocks * grid.threads_per_block * rounds;
  return !timeout.fired() && std::accumulate(seen.begin(), seen.end(), 0u) == all + (all << 16);
}

template <class Pair>
unsigned wrong_seeds(unsigned seeds) {
  unsigned wrong = 0;
  for (unsigned seed = 0; seed < seeds; ++seed) {
    const simt::scoped_settings scoped(simt::random_schedule(seed, simt::memory_kind::weak));
    wrong += !counts_all<Pair>();
  }
  return wrong;
}

TEST(word_pair, loses_nothing_on_any_schedule) {
  EXPECT_EQ(wrong_seeds<right_pair<4>>(seed_budget(40)), 0u);
  EXPECT_EQ(wrong_seeds<right_pair<0>>(seed_budget(40)), 0u);
}

TEST(broken_word_pair, is_rejected) {
  EXPECT_GT(wrong_seeds<takes_nothing>(10), 0u);
  EXPECT_GT(wrong_seeds<leaves_one>(10), 0u);
  EXPECT_THROW(wrong_seeds<holds_on>(10), stuck_error);
}

}  // namespace
}  // namespace finesync::test
