// Transfers in batches, without locks: conflict-free rounds of accounts, or of groups of accounts.
#pragma once

#include "grouping.cuh"

#include <finesync/conflict_free/batch_replies.cuh>
#include <finesync/conflict_free/queues.cuh>
#include <finesync/host/gpu.cuh>
#include <finesync/host/stream.cuh>
#include <workloads/atm/transfer_experiment.cuh>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

namespace finesync::atm {

/// Transfers `first` to `first + number - 1`.
struct batch {
  std::uint32_t first;
  std::uint32_t number;

  orders_ref of(const orders_ref& all) const {
    return {number, all.orders + first, all.answers + first};
  }
};

/// An upper bound on the length of most queues, for random requests.
inline std::size_t entries_of_most_queues(std::size_t expected) {
  return expected + static_cast<std::size_t>(4 * std::sqrt(static_cast<double>(expected))) + 4;
}

/// A sorted batch: the input of its rounds, and their results.
/// \tparam Queues a batch_queues.
template <class Queues>
struct sorted_batch {
  decltype(std::declval<const Queues&>().ref()) queues;
  batch_replies_ref answers;
  history_recorder record;  ///< by place; only in a recorded run
};

/// Requests, and the places of their entries.
template <class Requests>
struct requests_with_places {
  Requests requests;
  cell<std::uint32_t>* places;

  __device__ auto operator()(std::uint32_t i) const { return requests(i); }
  __device__ void placed(std::uint32_t i, std::uint32_t place) const { places[i] = place; }
};

/// How many blocks of the delivery kernels are resident at a time.
unsigned resident_delivery_blocks(unsigned threads_per_block);

/// Copies the result at the place of each transfer of a batch to the transfer's answer.
void deliver_answers(const stream& on, const launch_shape& shape, const orders_ref& orders,
                     const cell<std::uint32_t>* places, const batch_replies_ref& answers);
/// Copies the change indices of each transfer, recorded by place, to the transfer's number.
void deliver_turns(const stream& on, const launch_shape& shape, std::uint32_t transfers,
                   const cell<std::uint32_t>* places, const history_recorder& by_place,
                   const history_recorder& record);

/// Batches go through three stages, which overlap those of the previous and next batches:
///
///|  sort     into a queue for each pair          on all SMs
///|  play     runs the rounds                     on few SMs, one block per pair of groups
///|  deliver  copies each answer to its client    on all SMs
/// \tparam Queues a batch_queues.
template <class Queues>
class pipeline {
 public:
  /// \param word_stride see batch_queues.
  pipeline(std::uint32_t queues, std::uint32_t max_transfers, std::uint32_t word_stride)
      : max_transfers_(max_transfers), counted_(how_to_count(queues)) {
    for (auto& one : stages_) {
      one.queues.emplace(queues, max_transfers, word_stride, sorting_);
      one.places.emplace(max_transfers, sorting_);
      one.answers.emplace(one.queues->places(), sorting_);
    }
  }

  std::string requests_counted() const {
    switch (counted_) {
      case counted::by_tile:
        return "by tile";
      case counted::by_block:
        return "by block";
      case counted::one_by_one:
        return "one by one";
    }
    return {};
  }

  /// Queues all transfers; later work in the default stream waits for them.
  /// \param record null if the run is not recorded.
  /// \param requests_of(orders_ref of the batch), play(sorted_batch, stream).
  template <class RequestsOf, class Play>
  void run(const orders_ref& orders, const history_recorder& record, const launch_shape& sort_shape,
           const RequestsOf& requests_of, const Play& play) {
    const stream main;
    begun_.record(main);
    begun_.hold(sorting_);
    begun_.hold(playing_);
    unsigned turn = 0;
    std::uint32_t first = 0;
    batch before = {};
    const auto finish = [&](stage& which) {
      which.played.hold(sorting_);
      const cell<std::uint32_t>* places = which.places->device_data();
      deliver_answers(sorting_, sort_shape, before.of(orders), places, which.answers->ref());
      if (record.of != nullptr)
        deliver_turns(sorting_, sort_shape, before.number, places, {which.turns_had->device_data()},
                      {record.of + before.first});
    };
    while (first < orders.transfers) {
      const batch now = {first, std::min(max_transfers_, orders.transfers - first)};
      stage& here = stages_[turn];
      if (record.of != nullptr && !here.turns_had)
        here.turns_had.emplace(here.queues->places(), sorting_);
      const requests_with_places requests{requests_of(now.of(orders)), here.places->device_data()};
      switch (counted_) {
        case counted::by_tile:
          here.queues->template sort<tile_sort>(requests, now.number, sort_shape);
          break;
        case counted::by_block:
          here.queues->template sort<block_histogram>(requests, now.number, sort_shape);
          break;
        case counted::one_by_one:
          here.queues->template sort<atomic_per_request>(requests, now.number, sort_shape);
          break;
      }
      here.answers->clear();
      here.sorted.record(sorting_);
      here.sorted.hold(playing_);
      play(sorted_batch<Queues>{here.queues->ref(),
                                here.answers->ref(),
                                {here.turns_had ? here.turns_had->device_data() : nullptr}},
           playing_);
      here.played.record(playing_);
      if (before.number != 0) finish(stages_[1 - turn]);
      before = now;
      first += now.number;
      turn = 1 - turn;
    }
    if (before.number != 0) finish(stages_[1 - turn]);
    done_.record(sorting_);
    done_.hold(main);
  }

 private:
  enum class counted { by_tile, by_block, one_by_one };

  /// By tiles if a tile has several requests for each queue; by blocks if the counters fit into
  /// shared memory.
  static counted how_to_count(std::uint32_t queues) {
    constexpr std::uint32_t most_of_tile = 4800;
    const std::size_t shared = current_gpu().shared_bytes_per_block;
    const auto threads = static_cast<unsigned>(std::min(1024, current_gpu().max_threads_per_sm));
    if (queues <= most_of_tile && Queues::tile_bytes(queues, threads) <= shared)
      return counted::by_tile;
    return queues * sizeof(std::uint32_t) <= shared ? counted::by_block : counted::one_by_one;
  }

  /// What a batch needs from its sorting to its delivery; two batches are in flight at a time.
  struct stage {
    std::optional<Queues> queues;
    std::optional<buffer<std::uint32_t>> places;
    std::optional<batch_replies> answers;
    std::optional<buffer<turns>> turns_had;
    event sorted;
    event played;
  };

  std::uint32_t max_transfers_;
  counted counted_;
  owned_stream sorting_;
  owned_stream playing_;
  event begun_;
  event done_;
  stage stages_[2];
};

/// Common to both kinds of conflict-free rounds: batches, and accounts as words.
/// \tparam Queues a batch_queues. \tparam Derived derives from this, and has
///|  section, recorded_section             of a transfer; recorded_section is made of a recorder by
///|                                        place
///|  void play(orders, record, section_of)
///|                                        runs the pipeline; section_of(history_recorder) makes a
///|                                        section
template <class Queues, class Derived>
class conflict_free_experiment : public transfer_experiment {
  using counted = counted_account<std::uint32_t>;

 public:
  bench::parameters effective_parameters() const override {
    bench::parameters effective = transfer_experiment::effective_parameters();
    workload::add_parameter(effective, "batch_size", batch_);
    effective["count_method"] = pipeline_.requests_counted();
    return effective;
  }

 protected:
  /// \param word_stride see batch_queues.
  conflict_free_experiment(const run_config& config, std::uint32_t queues,
                           std::uint32_t word_stride, const grouping& groups)
      : transfer_experiment(config, resident_delivery_blocks(config.threads_per_block)),
        batch_(batch_of(config)),
        pipeline_(queues, batch_, word_stride),
        groups_(groups),
        words_(groups.groups() * groups.size(), false) {}

  static std::uint32_t batch_of(const run_config& config) {
    return std::min(config.batch, config.problem.transfers);
  }

  pipeline<Queues>& batches() { return pipeline_; }
  handoff_by_version<std::uint32_t> words() { return {words_.ref().first}; }

 private:
  void open_accounts() final {
    words_.open(shape(), opening_balance);
    recorded_ = false;
  }
  void start(const orders_ref& orders) final {
    derived().play(orders, {}, [](const history_recorder&) { return typename Derived::section{}; });
  }
  bool start_recorded(const orders_ref& orders, const history_recorder& record) final {
    derived().play(orders, record, [](const history_recorder& by_place) {
      return typename Derived::recorded_section{{by_place}};
    });
    recorded_ = true;
    return true;
  }
  std::uint32_t max_recorded() const final { return counted::max_transfers; }
  void collect(cell<std::uint32_t>* balances) final {
    const words_of_groups kept{words_.ref().first, groups_};
    launch_independent(
        recorded_ ? read_all<counted, words_of_groups> : read_all<plain_account, words_of_groups>,
        shape(), kept, what().accounts, balances);
  }

  Derived& derived() { return static_cast<Derived&>(*this); }

  std::uint32_t batch_;
  pipeline<Queues> pipeline_;
  grouping groups_;
  accounts<std::uint64_t> words_;
  bool recorded_ = false;  ///< whether the last run was recorded
};

}  // namespace finesync::atm
