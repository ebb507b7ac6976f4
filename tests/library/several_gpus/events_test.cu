// Events of several GPUs, on many schedules: a consumer sees what all counted producers wrote, on
// whatever GPU; weaker orders are rejected.
#include "gpus_exchange.hpp"
#include "weaker_fences.cuh"

#include <finesync/several_gpus/gpus_event_counts.cuh>

namespace finesync::test::gpus_events_test {
namespace {

/// A barrier made of events: every block arrives and waits for all blocks. The check of barriers
/// then applies.
template <class Fences>
class all_await_all {
  using events = gpus_event_counts<Fences>;

 public:
  class participant {
   public:
    __device__ participant(const typename events::ref_type& all, unsigned gpus,
                           const watchdog_ref& watchdog)
        : event_(all.at(1)), arrivals_(gpus * gridDim.x), watchdog_(watchdog) {}
    __device__ bool wait() {
      event_.arrive();
      return event_.wait(++round_ * arrivals_, watchdog_);
    }

   private:
    typename events::event event_;
    std::uint32_t arrivals_;
    std::uint32_t round_ = 0;
    watchdog_ref watchdog_;
  };
  struct ref_type {
    typename events::ref_type all;
    unsigned gpus;
    __device__ auto join(const watchdog_ref& watchdog) const {
      return participant(all, gpus, watchdog);
    }
  };

  all_await_all(const peers& all, const launch_shape&) : gpus_(all.size()), events_(all, 2) {}
  ref_type ref(unsigned me) const { return {events_.ref(me), gpus_}; }

 private:
  unsigned gpus_;
  events events_;
};

gpus_exchange_config plan_of(std::vector<int> devices, unsigned threads = 34) {
  return {.devices = std::move(devices), .blocks = 2, .threads_per_block = threads, .launches = 1};
}

TEST(gpus_events, hand_over_what_the_producers_of_all_gpus_wrote) {
  for (const gpus_exchange_config& plan :
       {plan_of({0, 1}), plan_of({0, 0}), plan_of({0, 1, 2, 3}, 3), plan_of({0, 1, 2}, 1)})
    expect_right_in_any_memory(seed_budget(10), [&] {
      return run_exchange_on_gpus<all_await_all<gpus_fences>>(plan).right();
    });
}

TEST(gpus_events, do_not_race) {
  using all = all_await_all<gpus_fences>;
  EXPECT_EQ(racing_seeds(5, [] { return run_exchange_on_gpus<all>(plan_of({0, 1})).right(); }), 0u);
}

template <class Fences>
class gpus_events_with : public ::testing::Test {};
TYPED_TEST_SUITE(gpus_events_with, weaker_crossings);

TYPED_TEST(gpus_events_with, a_weaker_order_are_rejected) {
  using weaker = all_await_all<TypeParam>;
  expect_rejected(weak, 60,
                  [] { return run_exchange_on_gpus<weaker>(gpus_exchange_config{}).right(); });
  EXPECT_GT(racing_seeds(5,
                         [] {
                           return run_exchange_on_gpus<weaker>(plan_of({0, 1})).right();
                         }),
            0u);
}

TEST(gpus_events_in_words_of_a_gpu, race) {
  using narrow = all_await_all<crosses_in_words_of_a_gpu>;
  EXPECT_GT(racing_seeds(5,
                         [] {
                           return run_exchange_on_gpus<narrow>(plan_of({0, 1})).right();
                         }),
            0u);
}

/// Each GPU passes a word on to the next, which waits for it alone: the last thread writes it.
__global__ void pass_on(gpus_event_counts<>::ref_type events, symmetric_view words, unsigned rounds,
                        watchdog_ref watchdog) {
  const auto event = events.at(0);
  const unsigned next = (words.me + 1) % words.n;
  cell<std::uint32_t>& mine = words.at<std::uint32_t>(words.me, 0);
  for (unsigned round = 1; round <= rounds; ++round) {
    if (words.me != 0 || round > 1) {
      if (!event.wait(words.me == 0 ? round - 1 : round, watchdog)) return;
    }
    if (threadIdx.x == blockDim.x - 1) words.at<std::uint32_t>(next, 0) = mine + 1;
    event.arrive_on(next);
  }
}

TEST(gpus_events, count_on_the_gpu_that_they_are_for) {
  constexpr unsigned rounds = 3;
  expect_right_in_any_memory(seed_budget(10), [&] {
    const peers all(3);
    const gpus_event_counts<> events(all, 1);
    const symmetric_memory words(all, 1);
    return ends_on(all, pass_on, {.blocks = 1, .threads_per_block = 34}, events, words, rounds) &&
           first_of(words.piece(0)) == 3 * rounds;
  });
}

/// Only the first GPU's producer comes.
__global__ void await_both(gpus_event_counts<>::ref_type events, symmetric_view came,
                           watchdog_ref watchdog) {
  const auto event = events.at(0);
  if (came.me == 0) event.arrive();
  if (event.wait(2, watchdog)) came.at<std::uint32_t>(came.me, 0) = 1u;
}

TEST(gpus_events, that_never_come_are_reported) {
  const peers all(2);
  const gpus_event_counts<> events(all, 1);
  const symmetric_memory came(all, 1);
  EXPECT_FALSE(ends_on(all, gpus_watchdog(all, soon_ns), await_both,
                       {.blocks = 1, .threads_per_block = 2}, events, came));
  for (const unsigned gpu : {0u, 1u}) EXPECT_EQ(came.piece(gpu).to_host()[0], 0u);
}

}  // namespace
}  // namespace finesync::test::gpus_events_test
