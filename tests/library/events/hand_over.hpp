// The check of events without payload: producers write words, consumers read all of them, and
// answer by an event in return. Two events are used in turn, and launches go on where others have
// ended.
#pragma once

#include <finesync/events/event_rounds.cuh>

#include <tests/library/dimensions/laid_out.hpp>
#include <tests/library/harness/harness.hpp>

namespace finesync::test {

struct hand_over_plan {
  unsigned blocks;
  unsigned producers;       ///< blocks 0 to producers - 1
  unsigned first_consumer;  ///< all blocks from this one on
  unsigned threads_per_block = 34;
  unsigned rounds = 4;  ///< per launch, an even number
  unsigned dimensions = 1;

  unsigned consumers() const { return blocks - first_consumer; }
};

template <class Rounds>
__global__ void hand_over(typename Rounds::ref_type there, typename Rounds::ref_type back,
                          hand_over_plan plan, unsigned first_round, cell<std::uint32_t>* words,
                          cell<std::uint32_t>* right, watchdog_ref watchdog) {
  const unsigned block = linear_block();
  const unsigned me = block * threads_of_block() + linear_thread();
  const unsigned all = plan.producers * threads_of_block();
  const auto answer = back.at(0);
  for (unsigned round = first_round; round < first_round + plan.rounds; ++round) {
    // Rounds count from 2, so those of each of the two events count from 1.
    const auto event = there.at(round % 2);
    if (block < plan.producers) {
      if (!answer.wait(round - 2, watchdog)) return;
      words[me] = round * 1000 + me;
      event.arrive(block, round / 2);
    }
    if (block >= plan.first_consumer) {
      if (!event.wait(round / 2, watchdog)) return;
      for (unsigned i = linear_thread() % 3; i < all; i += 3)
        if (words[i] == round * 1000 + i) ++right[me];
      answer.arrive(block - plan.first_consumer, round - 1);
    }
  }
}

/// The events of a plan: to the consumers, and in return.
template <class Events>
struct events_both_ways {
  event_rounds<Events> there, back;

  explicit events_both_ways(const hand_over_plan& plan)
      : there(2, plan.producers), back(1, plan.consumers()) {}
  void reset() {
    there.reset();
    back.reset();
  }
};

/// Whether every thread of every consumer has found all words right, in two launches.
template <class Events>
bool hands_over(const events_both_ways<Events>& events, const hand_over_plan& plan) {
  const launch_shape shape = laid_out(
      {.blocks = plan.blocks, .threads_per_block = plan.threads_per_block}, plan.dimensions);
  const unsigned threads = plan.blocks * plan.threads_per_block;
  auto words = zeroed(plan.producers * plan.threads_per_block);
  auto right = zeroed(threads);
  const watchdog timeout;
  for (const unsigned first_round : {2u, 2 + plan.rounds})
    launch_cooperative(hand_over<event_rounds<Events>>, shape, events.there.ref(),
                       events.back.ref(), plan, first_round, words.device_data(),
                       right.device_data(), timeout.ref());
  if (timeout.fired()) return false;
  const auto found = right.to_host();
  const auto all = static_cast<unsigned>(words.size());
  for (unsigned i = plan.first_consumer * plan.threads_per_block; i < threads; ++i)
    if (found[i] != 2 * plan.rounds * ((all + 2 - i % plan.threads_per_block % 3) / 3))
      return false;
  return true;
}

/// The same with new events.
template <class Events>
bool hands_over(const hand_over_plan& plan) {
  return hands_over(events_both_ways<Events>(plan), plan);
}

}  // namespace finesync::test
