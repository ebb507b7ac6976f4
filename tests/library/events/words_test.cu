// Events that carry their payload: who takes a word has the round's data, and words are put
// again only when all have taken them.
#include <finesync/events/event_counts.cuh>
#include <finesync/events/event_words.cuh>

#include <tests/library/events/broken_events.hpp>
#include <tests/library/harness/harness.hpp>

namespace finesync::test::event_words_test {
namespace {

struct words_plan {
  unsigned blocks = 4;
  unsigned producers = 2;  ///< the other blocks consume; in an exchange all do both
  unsigned bytes = 100;    ///< of a payload
  unsigned threads_per_block = 5;
  unsigned rounds = 6;
};

__device__ event_data data_of(std::uint32_t round, unsigned event, unsigned index) {
  const std::uint32_t own = round * 10000 + event * 100 + index;
  return {own, ~own, own * own};
}
__device__ auto data_of(std::uint32_t round) {
  return [round](unsigned event, unsigned index) { return data_of(round, event, index); };
}

/// Counts the words that are the round's.
struct right_words {
  std::uint32_t round;
  unsigned& right;

  __device__ void operator()(unsigned event, unsigned index, const event_data& found) const {
    const event_data own = data_of(round, event, index);
    right += found.first == own.first && found.second == own.second && found.third == own.third;
  }
};

/// The answer is an event count; `Waits` says whether the producers wait for it.
template <class Words, unsigned Most, bool Waits>
__global__ void hand_over(typename Words::ref_type words, event_counts<>::ref_type back,
                          words_plan plan, cell<std::uint32_t>* right, watchdog_ref watchdog) {
  const auto answer = back.at(0);
  const bool produces = blockIdx.x < plan.producers;
  const auto share = produces ? words.template share_of<Most>(blockIdx.x)
                              : words.template share_of<Most>(0, plan.producers);
  unsigned found = 0;
  for (std::uint32_t round = 1; round <= plan.rounds; ++round) {
    if (produces) {
      if (Waits && !answer.wait((round - 1) * (plan.blocks - plan.producers), watchdog)) return;
      share.put(round, data_of(round));
    } else {
      if (!share.take(round, watchdog, right_words{round, found})) return;
      answer.arrive();
    }
  }
  right[blockIdx.x * blockDim.x + threadIdx.x] = found;
}

/// The answer is words in return, share by share. Two blocks, no barrier at all.
template <class Words, unsigned Most>
__global__ void to_and_fro(typename Words::ref_type words, words_plan plan,
                           cell<std::uint32_t>* right, watchdog_ref watchdog) {
  const auto to = words.template share_of<Most>(blockIdx.x);
  const auto from = words.template share_of<Most>(1 - blockIdx.x);
  unsigned found = 0;
  for (std::uint32_t round = 1; round <= plan.rounds; ++round) {
    if (blockIdx.x == 0) to.put(round, data_of(round));
    if (!from.take(round, watchdog, right_words{round, found})) return;
    if (blockIdx.x == 1) to.put(round, data_of(round));
  }
  right[blockIdx.x * blockDim.x + threadIdx.x] = found;
}

/// All blocks put to all, and take from all. No answer, but `InTurn` events: two are enough.
template <class Words, unsigned Most, unsigned InTurn>
__global__ void exchange(typename Words::ref_type words, words_plan plan,
                         cell<std::uint32_t>* right, watchdog_ref watchdog) {
  unsigned found = 0;
  for (std::uint32_t round = 1; round <= plan.rounds; ++round) {
    const unsigned first = round % InTurn * plan.blocks;
    words.template share_of<Most>(first + blockIdx.x).put(round, data_of(round));
    const bool in_time = words.template share_of<Most>(first, plan.blocks)
                             .take(round, watchdog, right_words{round, found});
    if (__syncthreads_or(!in_time) != 0) return;
  }
  right[blockIdx.x * blockDim.x + threadIdx.x] = found;
}

/// Launches it, and says whether the threads together have found this number of right words.
template <class... Parameters, class... Arguments>
bool finds(unsigned words, const words_plan& plan, void (*kernel)(Parameters...),
           const Arguments&... arguments) {
  auto right = zeroed(plan.blocks * plan.threads_per_block);
  return ends(kernel, {.blocks = plan.blocks, .threads_per_block = plan.threads_per_block},
              arguments..., plan, right) &&
         sum_of(right) == words;
}

template <class Words, unsigned Most, bool Waits = true>
bool hands_over(const words_plan& plan) {
  Words words(plan.producers, plan.bytes);
  event_counts<> back(1);
  const unsigned taken = (plan.blocks - plan.producers) * plan.producers;
  return finds(plan.rounds * taken * Words::words_for(plan.bytes), plan,
               hand_over<Words, Most, Waits>, words.ref(), back.ref());
}
template <class Words, unsigned Most>
bool goes_to_and_fro(words_plan plan) {
  plan.blocks = 2;
  Words words(2, plan.bytes);
  return finds(plan.rounds * 2 * Words::words_for(plan.bytes), plan, to_and_fro<Words, Most>,
               words.ref());
}
template <class Words, unsigned Most, unsigned InTurn = 2>
bool exchanges(words_plan plan) {
  plan.blocks = 3;
  Words words(InTurn * plan.blocks, plan.bytes);
  return finds(plan.rounds * 9 * Words::words_for(plan.bytes), plan, exchange<Words, Most, InTurn>,
               words.ref());
}

template <class Most>
class event_words_taken : public ::testing::Test {};
using most_of_a_thread =
    ::testing::Types<std::integral_constant<unsigned, 0>, std::integral_constant<unsigned, 1>,
                     std::integral_constant<unsigned, 2>>;
TYPED_TEST_SUITE(event_words_taken, most_of_a_thread);

/// One word each, several, shares of different sizes, and threads without a word.
const words_plan plans[] = {{.bytes = 12},
                            {.bytes = 24, .threads_per_block = 4},
                            {.bytes = 100},
                            {.bytes = 200, .threads_per_block = 3},
                            {.bytes = 13, .threads_per_block = 40},
                            {.blocks = 3, .bytes = 1, .threads_per_block = 1}};

/// Words that a thread of a plan has at most, also of those of three events.
unsigned most_words(const words_plan& plan) {
  return (3 * event_words<>::words_for(plan.bytes) + plan.threads_per_block - 1) /
         plan.threads_per_block;
}

TYPED_TEST(event_words_taken, are_the_rounds) {
  constexpr unsigned most = TypeParam::value;
  for (const words_plan& plan : plans) {
    if (most != 0 && most_words(plan) > most) continue;
    const unsigned seeds = seed_budget(20);
    expect_right_in_any_memory(seeds, [&] { return hands_over<event_words<>, most>(plan); });
    expect_right_in_any_memory(seeds, [&] { return goes_to_and_fro<event_words<>, most>(plan); });
    expect_right_in_any_memory(seeds, [&] { return exchanges<event_words<>, most>(plan); });
  }
}

TEST(event_words, refuse_a_share_of_more_words_than_it_may_have) {
  EXPECT_THROW((hands_over<event_words<>, 2>({.bytes = 200})), std::logic_error);
}

TEST(event_words, may_be_put_again_in_further_launches) {
  event_words<> words(2, 30);
  for (int run = 0; run < 3; ++run)
    EXPECT_TRUE(finds(6 * 2 * 3, {.blocks = 2}, to_and_fro<event_words<>, 0>, words.ref()));
}

/// A word that is taken if it is not older than the round: a count's rule, which lets a consumer
/// that is late have the next round's data.
struct newer_tags : event_tags {
  __device__ static bool is_of(const message_128& m, std::uint32_t round) {
    return static_cast<std::uint32_t>(m.high >> 32) >= round;
  }
};
/// A word that is written in two halves, the one with the round first.
struct torn_tags : event_tags {
  __device__ static void store(cell<message_128>& word, const message_128& m) {
    using half = atomic_ref<std::uint64_t, scope::device>;
    auto* const halves = reinterpret_cast<cell<std::uint64_t>*>(&word);
    half(halves[1]).store(m.high, memory_order::relaxed);
    half(halves[0]).store(m.low, memory_order::relaxed);
  }
};

TEST(broken_event_words, that_anybody_takes_at_once_are_rejected) {
  const words_plan plan;
  const auto wrong = [&] { return hands_over<event_words<dead_tags>, 0>(plan); };
  expect_rejected(strong, 20, wrong);
}
TEST(broken_event_words, that_tear_are_rejected) {
  const words_plan plan;
  const auto wrong = [&] { return hands_over<event_words<torn_tags>, 0>(plan); };
  expect_rejected(strong, 40, wrong);
  expect_rejected(weak, 40, wrong);
}
TEST(broken_event_words, that_are_put_again_too_early_are_rejected) {
  const words_plan plan;
  const auto hangs = [&] { return hands_over<event_words<>, 0, false>(plan); };
  const auto wrong = [&] { return hands_over<event_words<newer_tags>, 0, false>(plan); };
  expect_rejected(strong, 20, hangs);
  expect_rejected(strong, 20, wrong);
}
TEST(broken_event_words, of_one_event_instead_of_two_in_turn_are_rejected) {
  const words_plan plan;
  expect_rejected(strong, 40, [&] { return exchanges<event_words<>, 0, 1>(plan); });
}

}  // namespace
}  // namespace finesync::test::event_words_test
