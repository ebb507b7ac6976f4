// Transfers in batches: each account is a player, each thread of one block a table.
#include "accounts.cuh"
#include "timetable_experiment.cuh"

#include <finesync/timetable/play_by_threads.cuh>
#include <finesync/timetable/round_robin.cuh>
#include <workloads/atm/nested.hpp>

#include <string>

namespace finesync::atm {

namespace {

/// A transfer in a queue of two players: what goes from the first to the second, which is negative
/// where the second pays.
using moved = std::int32_t;

struct pair_requests {
  round_robin all;
  orders_ref orders;

  __device__ queued<moved> operator()(std::uint32_t i) const {
    const transfer t = orders[i];
    const match at = all.match_of(t.from, t.to);
    const auto amount = static_cast<moved>(t.amount);
    return {queue_of(all, at), at.swapped ? -amount : amount};
  }
};

/// Decides a transfer without a branch. What two accounts hold together stays the same while they
/// meet, so a transfer is possible exactly where what it leaves the first is neither negative nor
/// more than all: one comparison of unsigned numbers.
class pair_section {
 public:
  __device__ void sit_down(std::uint32_t& first, std::uint32_t& second) { all_ = first + second; }
  __device__ answer operator()(std::uint32_t& first, std::uint32_t& /*second*/,
                               moved amount) const {
    const std::uint32_t left = first - static_cast<std::uint32_t>(amount);
    const bool executed = left <= all_;
    first = executed ? left : first;
    return executed ? answer::executed : answer::rejected;
  }
  __device__ void get_up(std::uint32_t& first, std::uint32_t& second) const {
    second = all_ - first;
  }

 private:
  std::uint32_t all_ = 0;
};

/// The same, and its turns.
struct recorded_pair_section {
  recorder record;  ///< by places

  __device__ answer operator()(account_with_turns& first, account_with_turns& second, moved amount,
                               std::uint32_t place) {
    pair_section alone;
    alone.sit_down(first.balance, second.balance);
    const answer told = alone(first.balance, second.balance, amount);
    alone.get_up(first.balance, second.balance);
    const std::uint32_t of_first = first.transfers++;
    const std::uint32_t of_second = second.transfers++;
    record.note(place, amount < 0 ? of_second : of_first, amount < 0 ? of_first : of_second);
    return told;
  }
};

template <class Account, class Section>
__global__ void __launch_bounds__(1024, 1)
    play_accounts(round_robin all, queues_ref<moved> queues, cell<Account>* accounts,
                  unsigned staged, Section section, answers_ref answers) {
  play_by_threads(all, queues, accounts, staged, section, answers);
}

unsigned players_for(std::uint32_t accounts) {
  constexpr unsigned most = 2048;  // tables of a block's threads
  if (accounts > most)
    throw bench::infeasible("a thread of one block for each pair: at most " + std::to_string(most) +
                            " accounts");
  return accounts + accounts % 2;
}

class accounts_experiment final : public transfer_experiment {
 public:
  explicit accounts_experiment(const setup& how)
      : transfer_experiment(how, resident_delivery_blocks(how.threads_per_block)),
        all_(players_for(how.what.accounts)),
        batch_(std::min(how.batch, how.what.transfers)),
        pipeline_(queues_of(all_), batch_, 1),
        balances_(all_.players(), false),
        with_turns_(all_.players(), false) {}

  bench::facts ran() const override {
    bench::facts ran = transfer_experiment::ran();
    workload::add_fact(ran, "batch", batch_);
    workload::add_fact(ran, "tables", all_.tables());
    ran["requests_counted"] = pipeline_.requests_counted();
    return ran;
  }

 protected:
  void open_accounts() override {
    balances_.open(shape(), opening_balance);
    with_turns_.open(shape(), {opening_balance, 0});
    recorded_ = false;
  }
  void start(const orders_ref& orders) override {
    start_with(orders, {}, balances_.ref().first, [](const recorder&) { return pair_section{}; });
  }
  bool start_recorded(const orders_ref& orders, const recorder& record) override {
    start_with(orders, record, with_turns_.ref().first,
               [](const recorder& by_place) { return recorded_pair_section{by_place}; });
    recorded_ = true;
    return true;
  }
  void collect(cell<std::uint32_t>* balances) override {
    if (recorded_)
      with_turns_.read(shape(), what().accounts, balances);
    else
      balances_.read(shape(), what().accounts, balances);
  }

 private:
  /// Those that play, and as many more that write answers as the GPU has.
  unsigned threads_of_tables() const {
    const auto most = static_cast<unsigned>(std::min(1024, current_gpu().max_threads_per_sm));
    const unsigned players = (all_.tables() + 31) / 32 * 32;
    return std::max(players, std::min(2 * players, most));
  }

  template <class Account, class SectionOf>
  void start_with(const orders_ref& orders, const recorder& record, cell<Account>* accounts,
                  const SectionOf& section_of) {
    using section = decltype(section_of(recorder{}));
    const auto bytes = [&](unsigned staged) {
      return shared_bytes_by_threads<Account, moved, answers_ref>(all_, staged);
    };
    auto staged =
        static_cast<unsigned>(entries_of_most_queues(batch_ / all_.rounds()) + 2 * all_.tables());
    while (staged > 0 && bytes(staged) > current_gpu().shared_bytes_per_block) --staged;
    const launch_shape tables{
        .blocks = 1, .threads_per_block = threads_of_tables(), .shared_bytes = bytes(staged)};
    pipeline_.run(
        orders, record, shape_beside(1),
        [&](const orders_ref& some) {
          return pair_requests{all_, some};
        },
        [&](const sorted_batch<moved>& of, const stream& on) {
          launch_independent(on, play_accounts<Account, section>, tables, all_, of.queues, accounts,
                             staged, section_of(of.record), of.answers);
        });
  }

  round_robin all_;
  std::uint32_t batch_;
  pipeline<moved> pipeline_;
  accounts<std::uint32_t> balances_;
  accounts<account_with_turns> with_turns_;
  bool recorded_ = false;  ///< the last run
};

}  // namespace

std::unique_ptr<bench::experiment> make_timetable(const setup& how) {
  return std::make_unique<accounts_experiment>(how);
}

}  // namespace finesync::atm
