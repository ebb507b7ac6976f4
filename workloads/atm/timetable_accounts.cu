// Transfers in batches: each account is a player, each thread of one block a table.
#include "accounts.cuh"
#include "timetable_experiment.cuh"

#include <finesync/timetable/play_by_threads.cuh>
#include <finesync/timetable/round_robin.cuh>
#include <workloads/atm/nested.hpp>

#include <string>

namespace finesync::atm {

namespace {

/// A transfer in a queue of two players, in 32 bits: from the lowest its number in the batch, the
/// answer once it is decided, and what goes from the first player to the second, which is negative
/// where the second pays.
struct queued_transfer {
  static constexpr unsigned number_bits = 22;
  static constexpr unsigned moved_shift = number_bits + 2;

  static __device__ std::uint32_t packed(std::uint32_t number, std::uint32_t moved) {
    return number | moved << moved_shift;
  }
  static __device__ std::uint32_t number(std::uint32_t entry) {
    return entry & ((1u << number_bits) - 1);
  }
  static __device__ std::int32_t moved(std::uint32_t entry) {
    return static_cast<std::int32_t>(entry) >> moved_shift;
  }
  static __device__ std::uint32_t with(std::uint32_t entry, answer told) {
    return entry | static_cast<std::uint32_t>(told) << number_bits;
  }
  static __device__ answer told(std::uint32_t entry) {
    return static_cast<answer>(entry >> number_bits & 3);
  }
};
constexpr std::uint32_t most_in_batch = 1u << queued_transfer::number_bits;

struct pair_requests {
  round_robin all;
  orders_ref orders;

  __device__ queued<std::uint32_t> operator()(std::uint32_t i) const {
    const transfer t = orders[i];
    const match at = all.match_of(t.from, t.to);
    return {queue_of(all, at), queued_transfer::packed(i, at.swapped ? 0 - t.amount : t.amount)};
  }
};

/// Decides a transfer without a branch, and leaves the answer in its entry. What two accounts hold
/// together stays the same while they meet, so a transfer is possible exactly where what it leaves
/// the first is neither negative nor more than all: one comparison of unsigned numbers.
class pair_section {
 public:
  __device__ void sit_down(std::uint32_t& first, std::uint32_t& second) { all_ = first + second; }
  __device__ void operator()(std::uint32_t& first, std::uint32_t& /*second*/,
                             std::uint32_t& entry) const {
    const std::uint32_t left = first - static_cast<std::uint32_t>(queued_transfer::moved(entry));
    const bool executed = left <= all_;
    first = executed ? left : first;
    entry = queued_transfer::with(entry, executed ? answer::executed : answer::rejected);
  }
  __device__ void get_up(std::uint32_t& first, std::uint32_t& second) const {
    second = all_ - first;
  }

 private:
  std::uint32_t all_ = 0;
};

/// The same, and its turns.
struct recorded_pair_section {
  recorder record;

  __device__ void operator()(account_with_turns& first, account_with_turns& second,
                             std::uint32_t& entry) {
    const bool second_pays = queued_transfer::moved(entry) < 0;
    pair_section alone;
    alone.sit_down(first.balance, second.balance);
    alone(first.balance, second.balance, entry);
    alone.get_up(first.balance, second.balance);
    const std::uint32_t of_first = first.transfers++;
    const std::uint32_t of_second = second.transfers++;
    record.note(queued_transfer::number(entry), second_pays ? of_second : of_first,
                second_pays ? of_first : of_second);
  }
};

template <class Account, class Section>
__global__ void __launch_bounds__(1024, 1)
    play_accounts(round_robin all, queues_ref<std::uint32_t> queues, cell<Account>* accounts,
                  unsigned staged, Section section) {
  play_by_threads(all, queues, accounts, staged, section);
}

__global__ void deliver_answers(orders_ref orders, queues_ref<std::uint32_t> queues) {
  for (std::uint32_t place = blockIdx.x * blockDim.x + threadIdx.x; place < orders.transfers;
       place += gridDim.x * blockDim.x) {
    const std::uint32_t entry = queues.entries[place];
    orders.tell(queued_transfer::number(entry), queued_transfer::told(entry));
  }
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
      : transfer_experiment(how, max_resident_blocks(deliver_answers, how.threads_per_block)),
        all_(players_for(how.what.accounts)),
        batch_(std::min({how.batch, most_in_batch, how.what.transfers})),
        pipeline_(queues_of(all_), batch_, 1),
        balances_(all_.players(), false),
        with_turns_(all_.players(), false) {}

  bench::facts ran() const override {
    bench::facts ran = transfer_experiment::ran();
    workload::add_fact(ran, "batch", batch_);
    workload::add_fact(ran, "tables", all_.tables());
    ran["requests_counted"] = std::string(pipeline_.counts_fit() ? "by block" : "one by one");
    return ran;
  }

 protected:
  void open_accounts() override {
    balances_.open(shape(), opening_balance);
    with_turns_.open(shape(), {opening_balance, 0});
    recorded_ = false;
  }
  void start(const orders_ref& orders) override {
    start_with(orders, balances_.ref().first, [](const batch&) { return pair_section{}; });
  }
  bool start_recorded(const orders_ref& orders, const recorder& record) override {
    start_with(orders, with_turns_.ref().first,
               [&](const batch& now) { return recorded_pair_section{{record.of + now.first}}; });
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
  /// An SM is left to the tables, whose block takes most of its shared memory.
  launch_shape sort_shape() const {
    launch_shape shape = this->shape();
    const auto sms = static_cast<unsigned>(current_gpu().sms);
    if (sms > 1) shape.blocks -= shape.blocks / sms;
    return shape;
  }
  /// Those that play, and as many more that copy as the GPU has.
  unsigned threads_of_tables() const {
    const auto most = static_cast<unsigned>(std::min(1024, current_gpu().max_threads_per_sm));
    return std::max((all_.tables() + 31) / 32 * 32, most);
  }

  template <class Account, class SectionOf>
  void start_with(const orders_ref& orders, cell<Account>* accounts, const SectionOf& section_of) {
    using section = decltype(section_of(batch{}));
    const unsigned staged = staged_beside<entry_stage<std::uint32_t, 3>>(
        all_.players() * sizeof(Account), batch_ / all_.rounds());
    const launch_shape tables{
        .blocks = 1,
        .threads_per_block = threads_of_tables(),
        .shared_bytes = shared_bytes_by_threads<Account, std::uint32_t>(all_, staged)};
    pipeline_.run(
        orders.transfers, sort_shape(),
        [&](const batch& now) {
          return pair_requests{all_, now.of(orders)};
        },
        [&](const queues_ref<std::uint32_t>& queues, const batch& now, const stream& on) {
          launch_independent(on, play_accounts<Account, section>, tables, all_, queues, accounts,
                             staged, section_of(now));
        },
        [&](const queues_ref<std::uint32_t>& queues, const batch& now, const stream& on) {
          launch_independent(on, deliver_answers, shape(), now.of(orders), queues);
        });
  }

  round_robin all_;
  std::uint32_t batch_;
  pipeline<std::uint32_t> pipeline_;
  accounts<std::uint32_t> balances_;
  accounts<account_with_turns> with_turns_;
  bool recorded_ = false;  ///< the last run
};

}  // namespace

std::unique_ptr<bench::experiment> make_timetable(const setup& how) {
  return std::make_unique<accounts_experiment>(how);
}

}  // namespace finesync::atm
