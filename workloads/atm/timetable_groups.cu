// Transfers in batches: groups of accounts are the players, each block a table.
#include "accounts.cuh"
#include "timetable_experiment.cuh"

#include <finesync/timetable/play_by_blocks.cuh>
#include <finesync/timetable/round_robin.cuh>
#include <workloads/atm/nested.hpp>

#include <algorithm>
#include <string>

namespace finesync::atm {

namespace {

/// Account a is number a / groups in group a % groups, so that neighbours are apart.
struct grouping {
  unsigned groups;
  unsigned size;  ///< accounts of a group

  __host__ __device__ unsigned group_of(std::uint32_t account) const { return account % groups; }
  __host__ __device__ unsigned place_of(std::uint32_t account) const { return account / groups; }
};

/// A transfer in a queue of two groups, or of one: its number in the batch, the amount, the places
/// of both accounts in the groups at the table, and whether the second of them pays.
struct alignas(8) queued_transfer {
  static constexpr unsigned place_bits = 15;

  std::uint32_t places_and_payer;
  std::uint32_t number_and_amount;

  __device__ static queued_transfer of(std::uint32_t number, std::uint32_t amount,
                                       const pairing& places, bool second_pays) {
    return {
        places.first | places.second << place_bits | std::uint32_t{second_pays} << 2 * place_bits,
        number | amount << 24};
  }
  __device__ pairing places() const {
    constexpr std::uint32_t mask = (1u << place_bits) - 1;
    return {places_and_payer & mask, places_and_payer >> place_bits & mask};
  }
  __device__ bool second_pays() const { return places_and_payer >> 2 * place_bits != 0; }
  __device__ std::uint32_t number() const { return number_and_amount & 0xffffff; }
  __device__ std::uint32_t amount() const { return number_and_amount >> 24; }
};

constexpr std::uint32_t most_in_batch = 1 << 24;

struct group_requests {
  round_robin all;
  grouping groups;
  orders_ref orders;

  __device__ queued<queued_transfer> operator()(std::uint32_t i) const {
    const transfer t = orders[i];
    const unsigned from = groups.group_of(t.from);
    const unsigned to = groups.group_of(t.to);
    const pairing places = {groups.place_of(t.from), groups.place_of(t.to)};
    if (from == to)
      return {home_queue_of(all, from), queued_transfer::of(i, t.amount, places, false)};
    const match at = all.match_of(from, to);
    const pairing seated = at.swapped ? pairing{places.second, places.first} : places;
    return {queue_of(all, at), queued_transfer::of(i, t.amount, seated, at.swapped)};
  }
};

/// The account is its balance.
struct group_section {
  static constexpr std::uint32_t busy = ~0u;
  orders_ref orders;

  __device__ pairing places_of(queued_transfer which) const { return which.places(); }
  __device__ void operator()(std::uint32_t& first, std::uint32_t& second,
                             queued_transfer which) const {
    // By value: a choice between references would put both into local memory.
    const bool swapped = which.second_pays();
    std::uint32_t from = swapped ? second : first;
    std::uint32_t to = swapped ? first : second;
    orders.tell(which.number(), move(which.amount(), from, to));
    first = swapped ? to : from;
    second = swapped ? from : to;
  }
};

/// The same in a recorded run: above the balance, the transfers that the account has had.
struct recorded_group_section {
  static constexpr unsigned balance_bits = 20;
  static constexpr std::uint32_t most_transfers = (1u << (32 - balance_bits)) - 1;
  static_assert(opening_balance + most_transfers * most_moved < 1u << balance_bits);
  static constexpr std::uint32_t busy = ~0u;
  orders_ref orders;
  recorder record;

  __device__ pairing places_of(queued_transfer which) const { return which.places(); }
  __device__ void operator()(std::uint32_t& first, std::uint32_t& second, queued_transfer which) {
    constexpr std::uint32_t turn = 1u << balance_bits;
    const bool swapped = which.second_pays();
    const std::uint32_t from = swapped ? second : first;
    const std::uint32_t to = swapped ? first : second;
    std::uint32_t giver = from % turn;
    std::uint32_t taker = to % turn;
    orders.tell(which.number(), move(which.amount(), giver, taker));
    record.note(which.number(), from / turn, to / turn);
    giver += from / turn * turn + turn;
    taker += to / turn * turn + turn;
    first = swapped ? taker : giver;
    second = swapped ? giver : taker;
  }
};

using hand_over = by_words<std::uint32_t>;

template <class Section>
__global__ void __launch_bounds__(1024, 1)
    play_groups(round_robin all, queues_ref<queued_transfer> queues, hand_over words, unsigned size,
                unsigned staged, Section section, watchdog_ref dog) {
  play_by_blocks(all, queues, words, size, staged, section, dog);
}

/// The words of group g are those from g * size on.
__global__ void open_groups(cell<std::uint64_t>* words, std::uint32_t number) {
  for (std::uint32_t i = blockIdx.x * blockDim.x + threadIdx.x; i < number;
       i += gridDim.x * blockDim.x)
    words[i] = std::uint64_t{opening_balance};
}

__global__ void read_groups(const cell<std::uint64_t>* words, grouping groups, std::uint32_t below,
                            std::uint32_t number, cell<std::uint32_t>* balances) {
  for (std::uint32_t a = blockIdx.x * blockDim.x + threadIdx.x; a < number;
       a += gridDim.x * blockDim.x) {
    const std::uint64_t word = words[groups.group_of(a) * groups.size + groups.place_of(a)];
    balances[a] = static_cast<std::uint32_t>(word) % below;
  }
}

grouping grouping_of(const setup& how) {
  const unsigned groups = how.groups + how.groups % 2;
  const grouping of = {groups, (how.what.accounts + groups - 1) / groups};
  if (groups < 2 || of.size > 1u << queued_transfer::place_bits)
    throw bench::infeasible("groups of at most 32768 accounts");
  return of;
}

class groups_experiment final : public transfer_experiment {
 public:
  explicit groups_experiment(const setup& how)
      : transfer_experiment(how, max_resident_blocks(open_groups, how.threads_per_block)),
        groups_(grouping_of(how)),
        all_(groups_.groups),
        batch_(std::min({how.batch, most_in_batch, how.what.transfers})),
        threads_per_table_(static_cast<unsigned>(std::min(1024, current_gpu().max_threads_per_sm))),
        staged_(staged_beside<entry_stage<queued_transfer, 2>>(
            2 * sizeof(std::uint32_t) * groups_.size, batch_ / (all_.rounds() * all_.tables()))),
        pipeline_(queues_of(all_), batch_, 32),
        words_(std::size_t{groups_.groups} * groups_.size) {}

  bench::facts ran() const override {
    bench::facts ran = transfer_experiment::ran();
    workload::add_fact(ran, "batch", batch_);
    workload::add_fact(ran, "tables", all_.tables());
    ran["requests_counted"] = std::string(pipeline_.counts_fit() ? "by block" : "one by one");
    workload::add_fact(ran, "threads_per_table", threads_per_table_);
    return ran;
  }

 protected:
  void open_accounts() override {
    launch_independent(open_groups, shape(), words_.cells(),
                       static_cast<std::uint32_t>(words_.size()));
    below_ = ~0u;
  }
  void start(const orders_ref& orders) override {
    start_with(orders, [&](const batch& now) { return group_section{now.of(orders)}; });
  }
  bool start_recorded(const orders_ref& orders, const recorder& record) override {
    start_with(orders, [&](const batch& now) {
      return recorded_group_section{now.of(orders), {record.of + now.first}};
    });
    below_ = 1u << recorded_group_section::balance_bits;
    return true;
  }
  std::uint32_t most_recorded() const override { return recorded_group_section::most_transfers; }
  void collect(cell<std::uint32_t>* balances) override {
    launch_independent(read_groups, shape(), words_.cells(), groups_, below_, what().accounts,
                       balances);
  }

 private:
  template <class SectionOf>
  void start_with(const orders_ref& orders, const SectionOf& section_of) {
    using section = decltype(section_of(batch{}));
    const launch_shape tables{
        .blocks = all_.tables(),
        .threads_per_block = threads_per_table_,
        .shared_bytes =
            shared_bytes_by_blocks<std::uint32_t, queued_transfer>(groups_.size, staged_)};
    pipeline_.run(
        orders.transfers, shape(),
        [&](const batch& now) {
          return group_requests{all_, groups_, now.of(orders)};
        },
        [&](const queues_ref<queued_transfer>& queues, const batch& now, const stream& on) {
          launch_cooperative(on, play_groups<section>, tables, all_, queues,
                             hand_over{words_.cells()}, groups_.size, staged_, section_of(now),
                             timeout());
        },
        [](const auto&, const batch&, const stream&) {});
  }

  grouping groups_;
  round_robin all_;
  std::uint32_t batch_;
  unsigned threads_per_table_;
  unsigned staged_;
  pipeline<queued_transfer> pipeline_;
  buffer<std::uint64_t> words_;
  std::uint32_t below_ = ~0u;  ///< balances, in the words of the last run
};

}  // namespace

std::unique_ptr<bench::experiment> make_group_timetable(const setup& how) {
  return std::make_unique<groups_experiment>(how);
}

}  // namespace finesync::atm
