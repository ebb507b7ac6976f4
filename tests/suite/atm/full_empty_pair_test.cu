// Full/empty words: correct over random schedules, and broken variants with likely mistakes.
#include <finesync/multi_object/full_empty_pair.cuh>
#include <finesync/multi_object/retry_per_lane.cuh>
#include <simt/fault.hpp>

#include <tests/library/harness/harness.hpp>

namespace finesync::test {
namespace {

constexpr std::uint32_t empty = ~std::uint32_t{0};
constexpr unsigned words = 4;
constexpr unsigned rounds = 3;
constexpr launch_shape grid{.blocks = 3, .threads_per_block = 34};

template <unsigned SimultaneousAttempts>
using right_pair = full_empty_pair<std::uint32_t, empty, scope::device, random_backoff<32, 256>,
                                   SimultaneousAttempts>;

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

/// Waits for the second word while it holds the first, in the order of the call.
struct holds_on : takes_nothing {
  using takes_nothing::takes_nothing;
  template <class Section>
  bool update(Section&& section, const watchdog_ref& watchdog) {
    std::uint32_t value = empty;
    std::uint32_t other = empty;
    bounded_wait wait(watchdog);
    while (value == empty || other == empty) {
      if (value == empty) value = one_.exchange(empty, memory_order::relaxed);
      if (value != empty) other = other_.exchange(empty, memory_order::relaxed);
      if (wait.timed_out()) return false;
    }
    section(value, other);
    one_.store(value, memory_order::relaxed);
    other_.store(other, memory_order::relaxed);
    return true;
  }
};

/// Uses only the second word's value and does not take it.
struct leaves_one : takes_nothing {
  using takes_nothing::takes_nothing;
  template <class Section>
  bool update(Section&& section, const watchdog_ref& watchdog) {
    bounded_wait wait(watchdog);
    while (true) {
      std::uint32_t value = one_.exchange(empty, memory_order::relaxed);
      std::uint32_t other = other_.load(memory_order::relaxed);
      const bool got = value != empty && other != empty;
      if (got) section(value, other);
      if (value != empty) one_.store(value, memory_order::relaxed);
      if (got) other_.store(other, memory_order::relaxed);
      if (got) return true;
      if (wait.timed_out()) return false;
    }
  }
};

struct places {
  unsigned from;
  unsigned to;
};
places places_of(unsigned round) {
  const unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
  const unsigned from = (thread + round) % words;
  return {from, (from + 1 + thread % (words - 1)) % words};
}
void count(std::uint32_t& giver, std::uint32_t& taker) {
  giver += 1;
  taker += 1u << 16;
}

template <class Pair>
__global__ void forward_values(cell<std::uint32_t>* values, watchdog_ref watchdog) {
  for (unsigned i = 0; i < rounds; ++i) {
    const places at = places_of(i);
    if (!Pair(values[at.from], values[at.to]).update(count, watchdog)) return;
  }
}

/// The same as tasks for retry_per_lane().
/// \tparam Forgets goes on to the next task after a failure.
template <bool Forgets>
struct updates {
  cell<std::uint32_t>* values;
  unsigned begun = 0;

  bool next_task() { return begun++ < rounds; }
  bool try_task(unsigned refused) {
    const places at = places_of(begun);
    return right_pair<2>(values[at.from], values[at.to]).try_update(count, refused < 2) || Forgets;
  }
};

template <bool Forgets>
__global__ void forward_each(cell<std::uint32_t>* values, watchdog_ref watchdog) {
  updates<Forgets> tasks{values};
  retry_per_lane<random_round_backoff<1, 4>>(tasks, watchdog);
}

using kernel = void (*)(cell<std::uint32_t>*, watchdog_ref);

bool counts_all(kernel which) {
  auto values = buffer<std::uint32_t>::zeroed(words);
  const watchdog timeout;
  launch_cooperative(which, grid, values.device_data(), timeout.ref());
  const auto seen = values.to_host();
  const unsigned all = grid.blocks * grid.threads_per_block * rounds;
  return !timeout.fired() && std::accumulate(seen.begin(), seen.end(), 0u) == all + (all << 16);
}

unsigned wrong_seeds(kernel which, unsigned seeds) {
  return failing_seeds(weak, seeds, [&] { return counts_all(which); });
}

TEST(full_empty_pair, loses_nothing_on_any_schedule) {
  EXPECT_EQ(wrong_seeds(forward_values<right_pair<4>>, seed_budget(40)), 0u);
  EXPECT_EQ(wrong_seeds(forward_values<right_pair<0>>, seed_budget(40)), 0u);
}

TEST(retry_per_lane, leaves_no_task_out_on_any_schedule) {
  EXPECT_EQ(wrong_seeds(forward_each<false>, seed_budget(40)), 0u);
}

TEST(retry_per_lane, ends_when_a_word_is_never_free) {
  buffer<std::uint32_t> values(words);
  values.fill_bytes(0xff);  // empty
  const watchdog timeout;
  EXPECT_THROW(launch_cooperative(forward_each<false>, grid, values.device_data(), timeout.ref()),
               hang_error);
}

TEST(broken_word_pair, is_rejected) {
  EXPECT_GT(wrong_seeds(forward_values<takes_nothing>, 10), 0u);
  EXPECT_GT(wrong_seeds(forward_values<leaves_one>, 10), 0u);
  EXPECT_GT(wrong_seeds(forward_each<true>, 10), 0u);
  EXPECT_THROW(wrong_seeds(forward_values<holds_on>, 10), hang_error);
}

}  // namespace
}  // namespace finesync::test
