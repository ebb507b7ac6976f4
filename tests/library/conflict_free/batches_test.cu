// A batch run by warps: as if its queues had run one after another. And by many blocks: no money is
// lost between threads of a pair, nor between rounds.
#include "batch_kernels.cuh"

#include <finesync/barriers/autotuned_barrier.cuh>
#include <finesync/barriers/cooperative_groups_barrier.cuh>
#include <finesync/conflict_free/group_handoff.cuh>
#include <finesync/conflict_free/grouped_schedule.cuh>
#include <finesync/conflict_free/latin_square.cuh>
#include <finesync/conflict_free/round_robin.cuh>

#include <tests/library/harness/harness.hpp>

namespace finesync::test::batches_test {
namespace {

/// A block uses whatever it finds.
struct without_wait {
  using datum = std::uint32_t;
  struct participant : handoff_by_version<datum>::participant {
    cell<std::uint64_t>* words;
    unsigned size;

    bool load_groups(const object_pair& objects, const object_pair& /*since*/,
                     cell<datum>* into) const {
      const finesync::detail::pair_places places(objects, size);
      for (unsigned i = threadIdx.x; i < 2 * size; i += blockDim.x) {
        into[i] =
            static_cast<datum>(atomic_ref<std::uint64_t, scope::device>(words[places.datum_at(i)])
                                   .load(memory_order::relaxed));
      }
      return true;
    }
  };
  participant join(unsigned size, const watchdog_ref& watchdog) const {
    return {{words, size, watchdog}, words, size};
  }
  cell<std::uint64_t>* words;
};

template <class Section = pay_and_remember, class Handoff = handoff_by_version<std::uint32_t>,
          class Schedule>
unsigned failing(const Schedule& all, const batch& of, simt::memory_kind memory, unsigned seeds,
                 races verdict = races::fail) {
  return failing_seeds(
      memory, seeds, [&] { return warps_run_right<Section, Handoff>(all, all, of); }, verdict);
}

const unsigned seeds = seed_budget(60);  // of each memory mode and batch

template <class Schedule>
void expect_right(const Schedule& all) {
  for (const auto memory : {strong, weak}) {
    EXPECT_EQ(failing(all, {}, memory, seeds), 0u);
    EXPECT_EQ(failing(all, {.to_one = true, .stage = {40, 4}}, memory, seeds / 2), 0u);
    EXPECT_EQ(failing(all, {.stage = {0, 2}}, memory, seeds / 4), 0u);
    EXPECT_EQ(failing(all, {.requests = 0}, memory, 2), 0u);
  }
}

TEST(warps_that_play, are_as_if_one_after_another) {
  expect_right(grouped_schedule<round_robin, 4>(round_robin(4)));
}
TEST(warps_that_play, may_be_alone) {
  expect_right(grouped_schedule<round_robin, 4>(round_robin(2)));
}
TEST(warps_that_play, have_two_kinds_of_players) {
  expect_right(grouped_schedule<latin_square, 4>(latin_square(2, 3)));
}
TEST(warps_that_play, may_have_a_player_for_each_lane) {
  const grouped_schedule<round_robin> all{round_robin(4)};
  EXPECT_EQ(failing(all, {.requests = 500}, weak, seeds / 10), 0u);
}

TEST(warps_that_play, answer_at_the_places_of_their_entries) {
  const grouped_schedule<round_robin, 4> all(round_robin(4));
  for (const bool to_one : {false, true}) {
    EXPECT_EQ(failing<pay_and_answer>(all, {.to_one = to_one}, weak, seeds / 2), 0u);
    EXPECT_EQ(failing<pay_by_twos>(all, {.to_one = to_one}, weak, seeds / 2), 0u);
  }
}

TEST(warps_that_play, take_entries_of_8_bytes) {
  const grouped_schedule<round_robin, 4> all(round_robin(4));
  const auto right = [&] {
    return warps_run_right<pay_and_answer, handoff_by_version<std::uint32_t>, wide_transfer>(
        all, all, {});
  };
  EXPECT_EQ(failing_seeds(strong, seeds / 4, right), 0u);
}

/// A group is in two pairs of a round, which overwrite each other's changes.
struct seats_one_twice : round_robin {
  using round_robin::round_robin;
  object_pair objects_of(unsigned round, unsigned pair) const {
    object_pair objects = round_robin::objects_of(round, pair);
    if (pair == 1) objects.second = round_robin::objects_of(round, 0).second;
    return objects;
  }
};

/// Some groups form a pair twice, and others never.
struct repeats_a_round : round_robin {
  using round_robin::round_robin;
  object_pair objects_of(unsigned round, unsigned pair) const {
    return round_robin::objects_of(round == 1 ? 0 : round, pair);
  }
};

TEST(broken_warps, are_rejected) {
  const grouped_schedule<round_robin, 4> all(round_robin(4));
  EXPECT_GT((failing<pay_and_remember, without_wait>(all, {}, strong, 20)), 0u);
  // Some pairs wait for a group that never arrives; others run it twice.
  const auto is_rejected_when_told = [&](const auto& groups) {
    const grouped_schedule<std::remove_cvref_t<decltype(groups)>, 4> told(groups);
    return failing_twin_seeds(strong, 10, [&] {
             return warps_run_right<pay_and_remember, handoff_by_version<std::uint32_t>>(all, told,
                                                                                         {});
           }) > 0;
  };
  EXPECT_TRUE(is_rejected_when_told(seats_one_twice(4)));
  EXPECT_TRUE(is_rejected_when_told(repeats_a_round(4)));
}

/// Handoff policies, each a function that runs a batch. \tparam Section section of a transfer.
template <class Section>
struct with_words_and {
  template <template <class Word, Word Empty> class Pair, class Schedule>
  static bool runs_right(const Schedule& all, const batch_run& of) {
    const auto words = [](cell<std::uint64_t>* accounts, const launch_shape&) {
      return handoff_by_version<std::uint32_t>{accounts};
    };
    return blocks_run_right<Pair, std::uint64_t, Section>(all, of, words);
  }
};
using with_words = with_words_and<pay_and_count>;
using with_combined = with_words_and<pay_together>;

template <class Barrier>
struct with_barrier {
  template <template <class Word, Word Empty> class Pair, class Schedule>
  static bool runs_right(const Schedule& all, const batch_run& of) {
    const Barrier barrier({.blocks = all.pairs_per_round(), .threads_per_block = of.threads});
    const auto meet = [&](cell<std::uint32_t>* accounts, const launch_shape&) {
      return handoff_by_barrier<std::uint32_t, typename Barrier::ref_type>{accounts, barrier.ref()};
    };
    return blocks_run_right<Pair, std::uint32_t>(all, of, meet);
  }
};

template <class Way, template <class Word, Word Empty> class Pair = full_empty_pair_of_block,
          class Schedule>
unsigned failing_blocks(const Schedule& all, const batch_run& of, simt::memory_kind memory,
                        unsigned seeds, races verdict = races::fail) {
  return failing_seeds(
      memory, seeds, [&] { return Way::template runs_right<Pair>(all, of); }, verdict);
}

template <class Way>
class blocks_that_play : public ::testing::Test {};
using ways = ::testing::Types<with_words, with_barrier<cooperative_groups_barrier>,
                              with_barrier<autotuned_barrier>, with_combined>;
TYPED_TEST_SUITE(blocks_that_play, ways);

const unsigned seeds_of_blocks = seed_budget(50);  // for each memory mode and batch

template <class Way, class Schedule>
void expect_blocks_right(const Schedule& all) {
  for (const auto memory : {strong, weak}) {
    EXPECT_EQ(failing_blocks<Way>(all, {}, memory, seeds_of_blocks), 0u);
    EXPECT_EQ(failing_blocks<Way>(all, {.size = 2, .to_one = true}, memory, seeds_of_blocks / 4),
              0u);
    EXPECT_EQ(failing_blocks<Way>(all, {.staged = 0}, memory, seeds_of_blocks / 4), 0u);
    EXPECT_EQ(failing_blocks<Way>(all, {.requests = 0}, memory, 2), 0u);
  }
}

TYPED_TEST(blocks_that_play, lose_no_money) {
  expect_blocks_right<TypeParam>(round_robin(4));
}
TYPED_TEST(blocks_that_play, may_be_alone) {
  expect_blocks_right<TypeParam>(round_robin(2));
}
TYPED_TEST(blocks_that_play, have_two_kinds_of_groups) {
  expect_blocks_right<TypeParam>(latin_square(2, 4));
  expect_blocks_right<TypeParam>(latin_square(3, 2));
}

struct with_no_wait {
  template <template <class Word, Word Empty> class Pair, class Schedule>
  static bool runs_right(const Schedule& all, const batch_run& of) {
    const auto words = [](cell<std::uint64_t>* accounts, const launch_shape&) {
      return without_wait{accounts};
    };
    return blocks_run_right<Pair, std::uint64_t>(all, of, words);
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
  EXPECT_GT((failing_blocks<with_no_wait>(all, {}, strong, few)), 0u);
  EXPECT_GT((failing_blocks<with_barrier<open_barrier>>(all, {}, strong, few)), 0u);
  EXPECT_GT((failing_blocks<with_barrier<open_barrier>>(all, {}, strong, few, races::pass)), 0u);
  EXPECT_GT((failing_blocks<with_words, broken_pair>(all, {}, strong, few)), 0u);
  EXPECT_GT((failing_blocks<with_words, pair_in_two_steps>(all, {}, strong, few)), 0u);
  EXPECT_GT((failing_blocks<with_words, greedy_pair>(all, {}, strong, 1)), 0u);
}

}  // namespace
}  // namespace finesync::test::batches_test
