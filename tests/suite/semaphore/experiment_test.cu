// The workload's own check: correct semaphores pass at every shape, wrong ones do not.
#include <workloads/semaphore/semaphore_experiment.cuh>
#include <workloads/semaphore/semaphores_makers.hpp>

#include <tests/catalogue/semaphores.hpp>
#include <tests/library/semaphores/no_semaphore.hpp>
#include <tests/primitives.hpp>

namespace finesync::test::experiment_test {
namespace {

using semaphore::run_config;

constexpr run_config small{.size = 3, .blocks_per_sm = 3, .threads_per_block = 32, .rounds = 4};

run_config with(unsigned size, unsigned ldst, bool backoff) {
  run_config config = small;
  config.size = size;
  config.ldst = ldst;
  config.backoff = backoff;
  return config;
}

TEST(semaphore_experiment, is_right_with_every_primitive) {
  for (const auto& each : workload::runnable(semaphore::all_semaphores())) {
    for (const unsigned size : {1u, 3u, 120u}) {
      for (const unsigned ldst : {0u, 1u, 5u}) {
        for (const bool backoff : {false, true}) {
          const auto which = each.make(with(size, ldst, backoff));
          workload::expect_right(*which);
          EXPECT_EQ(which->operations(), 4 * 3 * 4);  // SMs, blocks, rounds
        }
      }
    }
  }
}

TEST(semaphore_experiment, counts_tries_of_semaphores_that_may_hold_back) {
  for (const auto& make : {semaphore::make_spin_printed, semaphore::make_priority_printed}) {
    for (const unsigned ldst : {0u, 5u}) {
      bench::counters seen = make(with(1, ldst, false))->measure();
      EXPECT_GE(seen["lock_tries_per_operation"], 1);
      EXPECT_EQ(seen["held_back_per_operation"] > 0, make == semaphore::make_priority_printed);
    }
  }
  EXPECT_EQ(semaphore::make_ticket(small)->measure().count("lock_tries_per_operation"), 0u);
}

TEST(semaphore_experiment, may_have_no_writers) {
  run_config config = small;
  config.writers = false;
  const auto ended = workload::ending(*semaphore::make_ticket(config));
  EXPECT_TRUE(ended.ok()) << ended.reason;
}

/// A semaphore without exclusion.
struct open_door {
  explicit open_door(unsigned) {}
  void reset() {}
  no_semaphore ref() const { return {}; }
};

/// A semaphore that no thread acquires.
struct walled_up {
  struct ref_type : no_semaphore {
    bool try_enter(acquisition&) const { return false; }
  };
  explicit walled_up(unsigned) {}
  void reset() {}
  ref_type ref() const { return {}; }
};

template <class Semaphore>
bench::outcome run_broken(unsigned ldst) {
  const simt::scoped_settings scoped(simt::random_schedule(1));
  return workload::ending(*semaphore::experiment_at<Semaphore>(with(3, ldst, true)));
}

TEST(semaphore_experiment, without_a_semaphore_is_lost) {
  EXPECT_FALSE(run_broken<open_door>(0).ok());
  EXPECT_FALSE(run_broken<open_door>(5).ok());
}

/// Twice its permits in some runs: first one is timed, then one counts those inside, and so on.
template <unsigned Every, unsigned First>
struct generous_in {
  explicit generous_in(unsigned size) : fair_(size), open_(2 * size) {}
  void reset() {
    fair_.reset();
    open_.reset();
    ++runs_;
  }
  auto ref() const { return runs_ % Every == First ? open_.ref() : fair_.ref(); }

 private:
  cas_semaphore<no_backoff> fair_;
  cas_semaphore<no_backoff> open_;
  unsigned runs_ = 0;
};

TEST(semaphore_experiment, counts_those_inside_after_every_run) {
  run_config config = small;
  config.writers = false;
  config.ldst = 50;
  const auto which = semaphore::experiment_at<generous_in<6, 0>>(config);
  EXPECT_NE(which->unverified(), "");
  EXPECT_TRUE(workload::ending(*which).ok());
  EXPECT_TRUE(workload::ending(*which).ok());
  const auto ended = workload::ending(*which);
  EXPECT_FALSE(ended.ok());
  EXPECT_TRUE(ended.reason.starts_with("0 torn reads")) << ended.reason;
  EXPECT_EQ(ended.reason.find(" 0 entries beyond"), std::string::npos) << ended.reason;
}

TEST(semaphore_experiment, is_wrong_if_only_the_timed_run_is) {
  EXPECT_FALSE((run_broken<generous_in<2, 1>>(5).ok()));
}

/// One writer that has written twice. \param second what is found in its second word.
__global__ void write_twice(semaphore::table_ref table, std::uint32_t second) {
  table.writes[0] = 1;
  table.acquisitions[0] = 2;
  table.words[0] = 2;
  table.words[semaphore::two_words::second] = second;
}

TEST(semaphore_table, is_consistent_when_every_word_counts_all_writes) {
  for (const std::uint32_t second : {1u, 2u, 3u}) {
    const semaphore::table words(small, 1);
    launch_independent(write_twice, {1, 1}, words.ref(), second);
    stream().synchronize();
    EXPECT_EQ(words.read().consistent, second == 2);
  }
}

TEST(semaphore_experiment, that_stands_still_is_no_result) {
  try {
    const auto ended = run_broken<walled_up>(0);
    EXPECT_TRUE(ended.what == bench::status::timeout);
    EXPECT_FALSE(ended.ok());
  } catch (const hang_error&) {
  }
}

TEST(semaphore_experiment, refuses_a_grid_that_does_not_fit) {
  run_config config = small;
  config.blocks_per_sm = 9;
  EXPECT_THROW(semaphore::make_ticket(config), launch_error);
}

TEST(semaphore_experiment, verifies_by_every_criterion) {
  const semaphore::run_record right{
      .readers = {2, 2}, .writers = {2}, .torn = 0, .overfull = 0, .consistent = true};
  EXPECT_TRUE(semaphore::verify_rounds(right, 2).ok());
  EXPECT_TRUE(semaphore::verify_rounds(right, semaphore::any_rounds).ok());
  EXPECT_FALSE(semaphore::verify_rounds(right, 3).ok());
  EXPECT_TRUE(semaphore::verify_sections(right).ok());
  auto wrong = right;
  wrong.torn = 1;
  EXPECT_FALSE(semaphore::verify_sections(wrong).ok());
  wrong = right;
  wrong.overfull = 1;
  EXPECT_FALSE(semaphore::verify_sections(wrong).ok());
  wrong = right;
  wrong.consistent = false;
  EXPECT_FALSE(semaphore::verify_sections(wrong).ok());
}

}  // namespace
}  // namespace finesync::test::experiment_test
