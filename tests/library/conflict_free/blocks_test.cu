// A batch run by many blocks: no money is lost between threads of a pair, nor between rounds.
#include "batch_kernels.cuh"
#include "broken_handoff.cuh"

#include <finesync/barriers/autotuned_barrier.cuh>
#include <finesync/barriers/cooperative_groups_barrier.cuh>
#include <finesync/conflict_free/latin_square.cuh>
#include <finesync/conflict_free/round_robin.cuh>

#include <gtest/gtest.h>
#include <tests/library/locks/exploration.hpp>

namespace finesync::test::blocks_test {
namespace {

/// Handoff policies, each a function that runs a batch. \tparam Section section of a transfer.
template <class Section>
struct with_words_and {
  template <template <class Word, Word Empty> class Pair, class Schedule>
  static bool play_right(const Schedule& all, const batch_run& of) {
    const auto words = [](cell<std::uint64_t>* accounts, const launch_shape&) {
      return handoff_by_version<std::uint32_t>{accounts};
    };
    return blocks_play_right<Pair, std::uint64_t, Section>(all, of, words);
  }
};
using with_words = with_words_and<pay_and_count>;
using with_crowds = with_words_and<pay_together>;

template <class Barrier>
struct with_barrier {
  template <template <class Word, Word Empty> class Pair, class Schedule>
  static bool play_right(const Schedule& all, const batch_run& of) {
    const Barrier barrier({.blocks = all.pairs_per_round(), .threads_per_block = of.threads});
    const auto meet = [&](cell<std::uint32_t>* accounts, const launch_shape&) {
      return handoff_by_barrier<std::uint32_t, typename Barrier::ref_type>{accounts, barrier.ref()};
    };
    return blocks_play_right<Pair, std::uint32_t>(all, of, meet);
  }
};

template <class Way, template <class Word, Word Empty> class Pair = full_empty_pair_of_block,
          class Schedule>
unsigned failing(const Schedule& all, const batch_run& of, simt::memory_kind memory, unsigned seeds,
                 races verdict = races::fail) {
  return failing_seeds(
      memory, seeds, [&] { return Way::template play_right<Pair>(all, of); }, verdict);
}

template <class Way>
class blocks_that_play : public ::testing::Test {};
using ways = ::testing::Types<with_words, with_barrier<cooperative_groups_barrier>,
                              with_barrier<autotuned_barrier>, with_crowds>;
TYPED_TEST_SUITE(blocks_that_play, ways);

const unsigned seeds = seed_budget(50);  // for each memory mode and bank

template <class Way, class Schedule>
void expect_right(const Schedule& all) {
  for (const auto memory : {simt::memory_kind::strong, simt::memory_kind::weak}) {
    EXPECT_EQ(failing<Way>(all, {}, memory, seeds), 0u);
    EXPECT_EQ(failing<Way>(all, {.size = 2, .to_one = true}, memory, seeds / 4), 0u);
    EXPECT_EQ(failing<Way>(all, {.staged = 0}, memory, seeds / 4), 0u);
    EXPECT_EQ(failing<Way>(all, {.requests = 0}, memory, 2), 0u);
  }
}

TYPED_TEST(blocks_that_play, lose_no_money) {
  expect_right<TypeParam>(round_robin(4));
}
TYPED_TEST(blocks_that_play, may_be_alone) {
  expect_right<TypeParam>(round_robin(2));
}
TYPED_TEST(blocks_that_play, have_two_kinds_of_groups) {
  expect_right<TypeParam>(latin_square(2, 4));
  expect_right<TypeParam>(latin_square(3, 2));
}

struct with_haste {
  template <template <class Word, Word Empty> class Pair, class Schedule>
  static bool play_right(const Schedule& all, const batch_run& of) {
    const auto words = [](cell<std::uint64_t>* accounts, const launch_shape&) {
      return in_haste{accounts};
    };
    return blocks_play_right<Pair, std::uint64_t>(all, of, words);
  }
};

/// A barrier without a wait.
struct open_barrier {
  struct participant {
    bool wait() { return true; }
  };
  struct ref_type {
    using participant = open_barrier::participant;
    participant join(const watchdog_ref&) const { return {}; }
  };
  explicit open_barrier(const launch_shape&) {}
  ref_type ref() const { return {}; }
};

/// Stores the values from before the section.
template <class Word, Word Empty>
struct broken_pair : full_empty_pair_of_block<Word, Empty> {
  using full_empty_pair_of_block<Word, Empty>::full_empty_pair_of_block;
  template <class Section>
  bool try_update(Section section) {
    return full_empty_pair_of_block<Word, Empty>::try_update([&](Word& first, Word& second) {
      Word copies[] = {first, second};
      section(copies[0], second);
    });
  }
};

/// Two words of a block, for broken pairs.
template <class Word>
class words_of_block {
 public:
  words_of_block(cell<Word>& first, cell<Word>& second) : first_(first), second_(second) {}

 protected:
  template <class Section>
  bool run_and_put_back(Section section, Word first, Word second) {
    section(first, second);
    first_.store(first, memory_order::relaxed);
    second_.store(second, memory_order::relaxed);
    return true;
  }

  atomic_ref<Word, scope::block> first_;
  atomic_ref<Word, scope::block> second_;
};

/// Checks whether a word is busy, and takes it in a second step.
template <class Word, Word Empty>
struct pair_in_two_steps : words_of_block<Word> {
  using words_of_block<Word>::words_of_block;
  template <class Section>
  bool try_update(Section section) {
    const Word first = this->first_.load(memory_order::relaxed);
    const Word second = this->second_.load(memory_order::relaxed);
    if (first == Empty || second == Empty) return false;
    this->first_.store(Empty, memory_order::relaxed);
    this->second_.store(Empty, memory_order::relaxed);
    return this->run_and_put_back(section, first, second);
  }
};

/// Never restores the first word if the second fails.
template <class Word, Word Empty>
struct greedy_pair : words_of_block<Word> {
  using words_of_block<Word>::words_of_block;
  template <class Section>
  bool try_update(Section section) {
    const Word first = this->first_.exchange(Empty, memory_order::relaxed);
    const Word second = this->second_.exchange(Empty, memory_order::relaxed);
    if (first == Empty || second == Empty) return false;
    return this->run_and_put_back(section, first, second);
  }
};

TEST(broken_blocks_that_play, are_rejected) {
  const unsigned few = seed_budget(20);
  const round_robin all(4);
  constexpr auto strong = simt::memory_kind::strong;
  EXPECT_GT((failing<with_haste>(all, {}, strong, few)), 0u);
  EXPECT_GT((failing<with_barrier<open_barrier>>(all, {}, strong, few)), 0u);
  EXPECT_GT((failing<with_barrier<open_barrier>>(all, {}, strong, few, races::pass)), 0u);
  EXPECT_GT((failing<with_words, broken_pair>(all, {}, strong, few)), 0u);
  EXPECT_GT((failing<with_words, pair_in_two_steps>(all, {}, strong, few)), 0u);
  EXPECT_GT((failing<with_words, greedy_pair>(all, {}, strong, 1)), 0u);
}

}  // namespace
}  // namespace finesync::test::blocks_test
