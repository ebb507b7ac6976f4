// Transfers in batches, in conflict-free rounds of accounts: one lane per pair of accounts.
#include "conflict_free_experiment.cuh"

#include <finesync/conflict_free/grouped_schedule.cuh>
#include <finesync/conflict_free/round_robin.cuh>
#include <finesync/conflict_free/run_batch_by_warps.cuh>
#include <finesync/device/numbering.cuh>

#include <memory>
#include <string>

namespace finesync::atm {

namespace {

using all_accounts = grouped_schedule<round_robin>;

/// A transfer in the queue of a pair: the amount that the first account pays the second; negative
/// if the second pays.
using moved = std::int32_t;

struct pair_requests {
  all_accounts all;
  orders_ref orders;

  __device__ keyed_entry<moved> operator()(std::uint32_t i) const {
    const transfer t = orders[i];
    const pair_slot at = all.slot_of(t.from, t.to);
    const auto amount = static_cast<moved>(t.amount);
    return {queue_of(all, at), at.swapped ? -amount : amount};
  }
};

/// Decides a transfer without a branch. The sum of two accounts is constant while they are paired.
/// So a transfer is possible exactly if the first account's new balance is neither negative nor
/// larger than the sum: one comparison of unsigned numbers.
class constant_sum_section {
 public:
  static constexpr moved no_op = 0;

  __device__ void begin_pair(std::uint32_t& first, std::uint32_t& second) { all_ = first + second; }
  /// Computes the second transfer for both results of the first, so that it need not wait for that.
  __device__ unsigned run_pair(std::uint32_t& first, std::uint32_t& /*second*/, moved amount,
                               moved next) const {
    const std::uint32_t one = after(first, amount);
    moved sum = amount + next;
    asm("" : "+r"(sum));
    const std::uint32_t both = after(first, sum);
    const std::uint32_t other = after(first, next);
    const bool executed = one <= all_;
    const bool next_then = both <= all_;
    const bool next_otherwise = other <= all_;
    const std::uint32_t then = next_then ? both : one;
    const std::uint32_t otherwise = next_otherwise ? other : first;
    const unsigned answers_then = next_then ? answer_bits(true, true) : answer_bits(true, false);
    const unsigned answers_otherwise =
        next_otherwise ? answer_bits(false, true) : answer_bits(false, false);
    first = executed ? then : otherwise;
    return executed ? answers_then : answers_otherwise;
  }
  __device__ void end_pair(std::uint32_t& first, std::uint32_t& second) const {
    second = all_ - first;
  }

 private:
  __device__ static std::uint32_t after(std::uint32_t first, moved amount) {
    return first - static_cast<std::uint32_t>(amount);
  }
  __device__ static constexpr unsigned answer_bits(bool executed) {
    return static_cast<unsigned>(executed ? transfer_result::executed : transfer_result::rejected);
  }
  __device__ static constexpr unsigned answer_bits(bool one, bool other) {
    return answer_bits(one) << reply_word::bits | answer_bits(other);
  }

  std::uint32_t all_ = 0;
};

template <class Section>
__global__ void __launch_bounds__(32, 1)
    play_accounts(all_accounts all, queues_with_replies_ref<moved> queues,
                  handoff_by_version<std::uint32_t> words, stage_size size, Section section,
                  batch_replies_ref answers, watchdog_ref watchdog) {
  assume_one_dimension();
  run_batch_by_warps(all, queues, words, size, section, watchdog, answers);
}

/// \throws bench::infeasible if there are too many accounts.
all_accounts schedule_of(std::uint32_t accounts) {
  constexpr unsigned most = 4096;
  if (accounts > most)
    throw bench::infeasible("needs a queue for each pair of accounts: at most " +
                            std::to_string(most) + " accounts");
  const unsigned groups = (accounts + all_accounts::size - 1) / all_accounts::size;
  return all_accounts(round_robin(groups + groups % 2));
}

class accounts_experiment final
    : public conflict_free_experiment<queues_with_replies<moved>, accounts_experiment> {
  using queues = queues_with_replies<moved>;
  using base = conflict_free_experiment<queues, accounts_experiment>;

 public:
  using section = constant_sum_section;
  using recorded_section = two_way_transfer<counted_account<std::uint32_t>, history_recorder>;

  explicit accounts_experiment(const run_config& config)
      : accounts_experiment(config, schedule_of(config.problem.accounts)) {}

  bench::parameters effective_parameters() const override {
    bench::parameters effective = base::effective_parameters();
    workload::add_parameter(effective, "warps", all_.groups().pairs_per_round());
    workload::add_parameter(effective, "prefetched_rounds", stage_.parts - 1);
    return effective;
  }

  template <class SectionOf>
  void play(const orders_ref& orders, const history_recorder& record, const SectionOf& section_of) {
    using section_type = decltype(section_of(history_recorder{}));
    const launch_shape grid{.blocks = all_.groups().pairs_per_round(),
                            .threads_per_block = 32,
                            .shared_bytes = stage_bytes(all_, stage_)};
    batches().run(
        orders, record, shape_beside(grid.blocks),
        [&](const orders_ref& some) {
          return pair_requests{all_, some};
        },
        [&](const sorted_batch<queues>& of, const stream& on) {
          launch_cooperative(on, play_accounts<section_type>, grid, all_, of.queues, words(),
                             stage_, section_of(of.record), of.answers, timeout());
        });
  }

 private:
  accounts_experiment(const run_config& config, const all_accounts& all)
      : base(config, all.rounds() * all.pairs_per_round(), 1, {1, all.objects()}),
        all_(all),
        stage_(stage_for(all_, batch_of(config))) {}

  /// Room for all entries of most rounds, and for up to 8 rounds, as many as fit.
  /// \throws bench::infeasible if not even two fit.
  static stage_size stage_for(const all_accounts& all, std::size_t batch) {
    const std::size_t warps_and_rounds = std::size_t{all.groups().pairs_per_round()} * all.rounds();
    const std::size_t entries =
        entries_of_most_queues(batch / warps_and_rounds) + all_accounts::size * reply_word::places;
    stage_size size = {static_cast<unsigned>(entries), 8};
    while (size.parts > 2 && stage_bytes(all, size) > current_gpu().shared_bytes_per_block)
      size.parts /= 2;
    if (stage_bytes(all, size) > current_gpu().shared_bytes_per_block)
      throw bench::infeasible("two rounds of a batch need " +
                              std::to_string(stage_bytes(all, size)) +
                              " bytes of shared memory, and a block has " +
                              std::to_string(current_gpu().shared_bytes_per_block));
    return size;
  }
  static std::size_t stage_bytes(const all_accounts& all, const stage_size& size) {
    return shared_bytes_by_warps<std::uint32_t, moved>(all, size);
  }

  all_accounts all_;
  stage_size stage_;
};

}  // namespace

std::unique_ptr<bench::experiment> make_conflict_free(const run_config& config) {
  return std::make_unique<accounts_experiment>(config);
}

}  // namespace finesync::atm
