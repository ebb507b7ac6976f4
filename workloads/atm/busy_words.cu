// Transfers under no lock but the balances themselves.
#include "accounts.cuh"
#include "transfer_experiment.cuh"

#include <finesync/locks/try_each.cuh>
#include <finesync/locks/word_pair.cuh>
#include <workloads/atm/nested.hpp>

#include <algorithm>

namespace finesync::atm {

namespace {

/// An account: its balance, and above it the transfers that it has had.
using word = std::uint64_t;
constexpr word busy = ~word{0};
using pair = word_pair<word, busy, scope::device>;
using pauses = random_pauses<2, 8>;

/// A thread's transfers as tasks for try_each().
template <class Recorder>
struct transfer_tasks {
  const accounts_ref<word>& accounts;
  const orders_ref& orders;
  Recorder& record;
  transfer_stream transfers;

  __device__ bool next() { return transfers.next(); }
  __device__ bool attempt(bool contended) {
    const transfer& t = transfers.now();
    const auto section = [&](word& from, word& to) {
      auto giver = static_cast<std::uint32_t>(from);
      auto taker = static_cast<std::uint32_t>(to);
      const auto turn_of_giver = static_cast<std::uint32_t>(from >> 32);
      const auto turn_of_taker = static_cast<std::uint32_t>(to >> 32);
      orders.tell(transfers.number(), move(t.amount, giver, taker));
      from = std::uint64_t{turn_of_giver + 1} << 32 | giver;
      to = std::uint64_t{turn_of_taker + 1} << 32 | taker;
      record.note(transfers.number(), turn_of_giver, turn_of_taker);
    };
    return pair(accounts[t.from], accounts[t.to]).try_update(section, !contended);
  }
};

template <class Recorder>
__global__ void transfer_busy_words(accounts_ref<word> accounts, orders_ref orders,
                                    watchdog_ref watchdog, Recorder record) {
  transfer_tasks<Recorder> tasks{accounts, orders, record, transfer_stream(orders)};
  if (try_each<pauses>(tasks, watchdog)) watchdog.tell_done();
}

class busy_words_experiment final : public transfer_experiment {
 public:
  explicit busy_words_experiment(const setup& how)
      : transfer_experiment(
            how,
            std::min(max_resident_blocks(transfer_busy_words<unrecorded>, how.threads_per_block),
                     max_resident_blocks(transfer_busy_words<recorder>, how.threads_per_block))),
        accounts_(how.what.accounts, how.padded_accounts) {}

  bench::facts ran() const override {
    bench::facts ran = transfer_experiment::ran();
    workload::add_fact(ran, "pause_min_rounds", pauses::min_rounds);
    workload::add_fact(ran, "pause_max_rounds", pauses::max_rounds);
    return ran;
  }

 protected:
  void open_accounts() override { accounts_.open(shape(), opening_balance); }
  void start(const orders_ref& orders) override { start_with(orders, unrecorded{}); }
  bool start_recorded(const orders_ref& orders, const recorder& record) override {
    start_with(orders, record);
    return true;
  }
  void collect(cell<std::uint32_t>* balances) override {
    accounts_.read(shape(), what().accounts, balances);
  }

 private:
  template <class Recorder>
  void start_with(const orders_ref& orders, const Recorder& record) {
    launch_cooperative(transfer_busy_words<Recorder>, shape(), accounts_.ref(), orders, timeout(),
                       record);
  }

  accounts<word> accounts_;
};

}  // namespace

std::unique_ptr<bench::experiment> make_busy_words(const setup& how) {
  return std::make_unique<busy_words_experiment>(how);
}

}  // namespace finesync::atm
