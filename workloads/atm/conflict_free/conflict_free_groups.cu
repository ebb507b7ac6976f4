// Transfers in batches, in conflict-free rounds of groups of accounts: one block per pair of
// groups.
#include "conflict_free_experiment.cuh"

#include <finesync/conflict_free/round_robin.cuh>
#include <finesync/conflict_free/run_batch_by_blocks.cuh>
#include <finesync/device/numbering.cuh>
#include <workloads/common/grid.cuh>

#include <algorithm>
#include <memory>
#include <string>
#include <type_traits>

namespace finesync::atm {

namespace {

/// A transfer in a queue of two groups, or of one: the places of both accounts in their groups, and
/// the amount that the first pays; negative if the second pays.
/// \tparam Word 32 bits if groups are small enough, else 64.
template <class Word>
class queued_transfer {
  using signed_word = std::make_signed_t<Word>;

 public:
  static constexpr unsigned place_bits = sizeof(Word) == 4 ? 12 : 20;
  static_assert(max_moved < 1u << (sizeof(Word) * 8 - 2 * place_bits - 1));

  queued_transfer() = default;
  static constexpr queued_transfer no_op() { return queued_transfer(Word{0}); }
  __device__ queued_transfer(std::uint32_t amount, const object_pair& places, bool second_pays)
      : word_(Word{places.first} | Word{places.second} << place_bits |
              (second_pays ? Word{0} - amount : Word{amount}) << 2 * place_bits) {}

  __device__ object_pair places() const {
    constexpr std::uint32_t mask = (1u << place_bits) - 1;
    return {static_cast<std::uint32_t>(word_) & mask,
            static_cast<std::uint32_t>(word_ >> place_bits) & mask};
  }
  __device__ std::int32_t paid() const {
    return static_cast<std::int32_t>(static_cast<signed_word>(word_) >> 2 * place_bits);
  }

 private:
  __host__ __device__ constexpr explicit queued_transfer(Word word) : word_(word) {}

  Word word_;
};

template <class Word>
struct group_requests {
  round_robin all;
  grouping groups;
  orders_ref orders;

  __device__ keyed_entry<queued_transfer<Word>> operator()(std::uint32_t i) const {
    const transfer t = orders[i];
    const unsigned from = groups.group_of(t.from);
    const unsigned to = groups.group_of(t.to);
    const object_pair places = {groups.place_of(t.from), groups.place_of(t.to)};
    const bool on_diagonal = from == to;
    const pair_slot at = all.slot_of(from, to);
    const bool swapped = on_diagonal ? places.second < places.first : at.swapped;
    const object_pair seated = swapped ? object_pair{places.second, places.first} : places;
    return {on_diagonal ? diagonal_queue_of(all, from) : queue_of(all, at),
            {t.amount, seated, swapped}};
  }
};

/// \tparam Account, Recorder of a two_way_transfer; the history_recorder is indexed by place.
template <class Word, class Account, class Recorder>
struct group_section {
  using section = two_way_transfer<Account, Recorder>;
  static constexpr std::uint32_t empty = section::empty;
  static constexpr auto no_op = queued_transfer<Word>::no_op();

  section both;

  __device__ object_pair places_of(queued_transfer<Word> which) const { return which.places(); }
  __device__ transfer_result operator()(std::uint32_t& first, std::uint32_t& second,
                                        queued_transfer<Word> which, std::uint32_t place) const {
    return both(first, second, which.paid(), place);
  }
  __device__ void dry_run(std::uint32_t& first, std::uint32_t& second,
                          queued_transfer<Word> which) const {
    const std::int32_t paid = which.paid();
    if constexpr (!std::is_same_v<Account, plain_account>) {
      if (paid != 0) two_way_transfer<Account, no_history>{}(first, second, paid, 0);
    } else {
      // Both new balances are computed independently, so neither waits for the check of the other.
      const std::uint32_t before = first;
      first = left_of(first, paid, second);
      second = left_of(second, -paid, before);
    }
  }

 private:
  /// The balance of an account that pays `paid` to another, or is paid if that is negative. A
  /// negative balance would be a large number.
  __device__ static std::uint32_t left_of(std::uint32_t balance, std::int32_t paid,
                                          std::uint32_t other) {
    const bool other_can = static_cast<std::int32_t>(other + static_cast<std::uint32_t>(paid)) >= 0;
    const std::int32_t moved = other_can ? paid : 0;
    const auto most = balance | static_cast<std::uint32_t>(moved >> 31);
    const std::uint32_t left = balance - static_cast<std::uint32_t>(moved);
    return left < most ? left : most;
  }
};

using handoff = handoff_by_version<std::uint32_t>;

template <class Word, class Section>
__global__ void __launch_bounds__(1024, 1)
    play_groups(round_robin all, queues_with_replies_ref<queued_transfer<Word>> queues,
                handoff words, unsigned size, unsigned staged, Section section,
                batch_replies_ref answers, watchdog_ref watchdog) {
  assume_one_dimension();
  run_batch_by_blocks(all, queues, words, size, staged, section, watchdog, answers);
}

/// Measured best. Fewer if the blocks of a round are not co-resident.
constexpr unsigned usual_groups = 64;

grouping grouping_of(const run_config& config) {
  const unsigned groups = std::max(config.groups + config.groups % 2, 2u);
  return {groups, (config.problem.accounts + groups - 1) / groups};
}

template <class Word>
class groups_experiment final
    : public conflict_free_experiment<queues_with_replies<queued_transfer<Word>>,
                                      groups_experiment<Word>> {
  using queues = queues_with_replies<queued_transfer<Word>>;
  using base = conflict_free_experiment<queues, groups_experiment>;

 public:
  using section = group_section<Word, plain_account, no_history>;
  using recorded_section = group_section<Word, counted_account<std::uint32_t>, history_recorder>;

  explicit groups_experiment(const run_config& config)
      : groups_experiment(config, grouping_of(config)) {}

  /// Whether the blocks of a round can be co-resident. \throws as the constructor does.
  static bool fits(const run_config& config) {
    const grouping groups = grouping_of(config);
    const std::size_t shared = shared_bytes(groups.size(), staged_for(config, groups));
    return round_robin(groups.groups()).pairs_per_round() <=
           workload::resident_of_all({.threads_per_block = most_threads(), .shared_bytes = shared},
                                     play_groups<Word, section>,
                                     play_groups<Word, recorded_section>);
  }

  bench::parameters effective_parameters() const override {
    bench::parameters effective = base::effective_parameters();
    workload::add_parameter(effective, "pairs_per_round", all_.pairs_per_round());
    workload::add_parameter(effective, "threads_per_pair", threads_per_pair_);
    return effective;
  }

  template <class SectionOf>
  void play(const orders_ref& orders, const history_recorder& record, const SectionOf& section_of) {
    using section_type = decltype(section_of(history_recorder{}));
    const launch_shape grid{.blocks = all_.pairs_per_round(),
                            .threads_per_block = threads_per_pair_,
                            .shared_bytes = shared_bytes(groups_.size(), staged_)};
    this->batches().run(
        orders, record, this->shape_beside(all_.pairs_per_round()),
        [&](const orders_ref& some) {
          return group_requests<Word>{all_, groups_, some};
        },
        [&](const sorted_batch<queues>& of, const stream& on) {
          launch_cooperative(on, play_groups<Word, section_type>, grid, all_, of.queues,
                             this->words(), groups_.size(), staged_, section_of(of.record),
                             of.answers, this->timeout());
        });
  }

 private:
  groups_experiment(const run_config& config, const grouping& groups)
      : base(config, queues_of(round_robin(groups.groups())), 32, groups),
        groups_(groups),
        all_(groups.groups()),
        threads_per_pair_(most_threads()),
        staged_(staged_for(config, groups)) {}

  static unsigned most_threads() {
    return static_cast<unsigned>(std::min(1024, current_gpu().max_threads_per_sm));
  }

  /// How many entries to copy ahead per pair of groups: those of most queues, or as many as fit
  /// next to the accounts.
  /// \throws bench::infeasible if not even the accounts fit.
  static unsigned staged_for(const run_config& config, const grouping& groups) {
    const round_robin all(groups.groups());
    const std::size_t expected =
        base::batch_of(config) / (std::size_t{all.rounds()} * all.pairs_per_round());
    const unsigned size = groups.size();
    const std::size_t shared = current_gpu().shared_bytes_per_block;
    const std::size_t least = shared_bytes(size, 0);
    if (least > shared)
      throw bench::infeasible("the accounts of two groups need " + std::to_string(least) +
                              " bytes of shared memory, and a block has " + std::to_string(shared));
    auto staged = static_cast<unsigned>(std::min(entries_of_most_queues(expected), shared));
    while (shared_bytes(size, staged) > shared) --staged;
    return staged;
  }
  static std::size_t shared_bytes(unsigned size, unsigned staged) {
    return shared_bytes_by_blocks<std::uint32_t, queued_transfer<Word>, batch_replies_ref>(size,
                                                                                           staged);
  }

  grouping groups_;
  round_robin all_;
  unsigned threads_per_pair_;
  unsigned staged_;
};

}  // namespace

std::unique_ptr<bench::experiment> make_conflict_free_groups(const run_config& config) {
  const auto with_words_for = [](const run_config& settled, auto use) {
    const unsigned size = grouping_of(settled).size();
    if (size <= 1u << queued_transfer<std::uint32_t>::place_bits)
      return use.template operator()<std::uint32_t>();
    if (size <= 1u << queued_transfer<std::uint64_t>::place_bits)
      return use.template operator()<std::uint64_t>();
    throw bench::infeasible("at most 1,048,576 accounts per group");
  };
  run_config settled = config;
  if (config.groups == 0) {
    const auto fit = [&]<class Word>() { return groups_experiment<Word>::fits(settled); };
    settled.groups = usual_groups;
    while (settled.groups > 2 && !with_words_for(settled, fit)) settled.groups -= 2;
  }
  return with_words_for(settled, [&]<class Word>() -> std::unique_ptr<bench::experiment> {
    return std::make_unique<groups_experiment<Word>>(settled);
  });
}

}  // namespace finesync::atm
