// Transfers in batches, without locks: accounts, or groups of them, play a tournament.
#pragma once

#include "transfer_experiment.cuh"

#include <finesync/device/gpu.cuh>
#include <finesync/device/stream.cuh>
#include <finesync/timetable/entry_stage.cuh>
#include <finesync/timetable/queues.cuh>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

namespace finesync::atm {

/// Transfers `first` to `first + number - 1`.
struct batch {
  std::uint32_t first;
  std::uint32_t number;

  orders_ref of(const orders_ref& all) const {
    return {number, all.orders + first, all.answers + first};
  }
};

/// How many entries of a round a block copies ahead: what is expected, and some more, or what fits
/// beside its accounts. \throws bench::infeasible where not even those fit.
/// \tparam Stage the entry_stage of the way to play.
template <class Stage>
unsigned staged_beside(std::size_t bytes_of_accounts, std::size_t expected) {
  const std::size_t shared = current_gpu().shared_bytes_per_block;
  if (bytes_of_accounts > shared)
    throw bench::infeasible("the accounts at a table need " + std::to_string(bytes_of_accounts) +
                            " bytes of shared memory, and a block has " + std::to_string(shared));
  const unsigned fitting = Stage::fitting(shared - bytes_of_accounts);
  return static_cast<unsigned>(std::min<std::size_t>(expected + expected / 8 + 64, fitting));
}

/// Batches go through three stages, which overlap those of the batches before and after:
///
///   sort     into a queue for each pair of players         on all SMs
///   play     the rounds                                    on the few SMs that the tables take
///   deliver  each answer to the client who wants it        on all SMs
template <class Entry>
class pipeline {
 public:
  /// \param words_apart see batch_queues.
  pipeline(std::uint32_t queues, std::uint32_t most_transfers, std::uint32_t words_apart)
      : most_transfers_(most_transfers),
        counts_fit_(queues * sizeof(std::uint32_t) <= current_gpu().shared_bytes_per_block) {
    for (auto& one : slots_) one.queues.emplace(queues, most_transfers, words_apart, sorting_);
  }

  bool counts_fit() const { return counts_fit_; }

  /// Queues all transfers; the default stream is behind them.
  /// \param requests_of(batch), play(queues_ref, batch, stream), deliver(the same).
  template <class RequestsOf, class Play, class Deliver>
  void run(std::uint32_t transfers, const launch_shape& sort_shape, const RequestsOf& requests_of,
           const Play& play, const Deliver& deliver) {
    const stream main;
    begun_.record(main);
    begun_.hold(sorting_);
    begun_.hold(playing_);
    unsigned turn = 0;
    std::uint32_t first = 0;
    batch before = {};
    while (first < transfers) {
      const batch now = {first, std::min(most_transfers_, transfers - first)};
      slot& here = slots_[turn];
      if (counts_fit_)
        here.queues->template sort<once_per_block>(requests_of(now), now.number, sort_shape);
      else
        here.queues->template sort<each_alone>(requests_of(now), now.number, sort_shape);
      here.sorted.record(sorting_);
      here.sorted.hold(playing_);
      play(here.queues->ref(), now, playing_);
      here.played.record(playing_);
      if (before.number != 0) finish(slots_[1 - turn], before, deliver);
      before = now;
      first += now.number;
      turn = 1 - turn;
    }
    if (before.number != 0) finish(slots_[1 - turn], before, deliver);
    done_.record(sorting_);
    done_.hold(main);
  }

 private:
  /// What a batch takes from its sorting to its delivery; two are on their way at a time.
  struct slot {
    std::optional<batch_queues<Entry>> queues;
    event sorted;
    event played;
  };

  template <class Deliver>
  void finish(slot& which, const batch& what, const Deliver& deliver) {
    which.played.hold(sorting_);
    deliver(which.queues->ref(), what, stream(sorting_));
  }

  std::uint32_t most_transfers_;
  bool counts_fit_;  ///< of all queues into a block
  owned_stream sorting_;
  owned_stream playing_;
  event begun_;
  event done_;
  slot slots_[2];
};

}  // namespace finesync::atm
